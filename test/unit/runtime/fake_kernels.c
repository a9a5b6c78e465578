/* Kernels as the compiler would make them, in the C interface of runtime/format/cpu_abi.h. Compiled to a shared object without undefined
   symbols; the fake compiler puts it into images. */

typedef long long word;

struct host {
  void* self;
  void (*print)(void* self, word site, const void* const* values, const word* program);
  void (*assertion_failed)(void* self, word site, const word* program);
};

/* out[program] += 1, for (View<i32, 1> out, Scalar<i64> n): slots pointer, size, stride, n, extent. */
void count(const word* slots, word first, word last, char* arena, const struct host* host) {
  int* out = (int*)slots[0];
  (void)arena, (void)host;
  for (word program = first; program < last; ++program) out[program * slots[2]] += 1;
}

/* The same, through a scratch of 4096 bytes that is filled and read back; out[program] = -1 when it is not 64-byte aligned. */
void scratch(const word* slots, word first, word last, char* arena, const struct host* host) {
  int* out = (int*)slots[0];
  (void)host;
  for (word program = first; program < last; ++program) {
    volatile int* memory = (volatile int*)arena;
    int sum = 0;
    for (int i = 0; i < 1024; ++i) memory[i] = (int)program + i;
    for (int i = 0; i < 1024; ++i) sum += memory[i] == (int)program + i;
    out[program * slots[2]] = (word)arena % 64 ? -1 : sum;
  }
}

/* Each program prints site 0 and fails the assertion of site 1 when its number is a multiple of 5. */
void report(const word* slots, word first, word last, char* arena, const struct host* host) {
  (void)slots, (void)arena;
  for (word program = first; program < last; ++program) {
    int tile[4] = {(int)program, 2, 3, 4};
    float number = 0.5f;
    const void* values[2] = {tile, &number};
    word at[1] = {program};
    if (host->print) host->print(host->self, 0, values, at);
    if (program % 5 == 0 && host->assertion_failed) host->assertion_failed(host->self, 1, at);
  }
}

/* out[program] = the number of programs that started before, counted in out[n]; each waits for its predecessor. */
void chain(const word* slots, word first, word last, char* arena, const struct host* host) {
  int* out = (int*)slots[0];
  (void)arena, (void)host;
  for (word program = first; program < last; ++program) {
    if (program > 0)
      while (__atomic_load_n(&out[program - 1], __ATOMIC_ACQUIRE) == 0) {
      }
    int before = program > 0 ? out[program - 1] : 0;
    __atomic_store_n(&out[program], before + 1, __ATOMIC_RELEASE);
  }
}

/* Nothing: for the cost of a launch. */
void nothing(const word* slots, word first, word last, char* arena, const struct host* host) {
  (void)slots, (void)first, (void)last, (void)arena, (void)host;
}
