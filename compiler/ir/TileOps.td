// Every operation of the dialect, for TableGen.
include "StructureOps.td"
include "ViewOps.td"
include "MemoryOps.td"
include "ValueOps.td"
include "ShapeOps.td"
include "ReductionOps.td"
include "DebugOps.td"
