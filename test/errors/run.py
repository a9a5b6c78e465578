#!/usr/bin/env python3
"""One-mistake programs: each must fail to compile with the words of its `// expect:` line and name the line marked `// mistake`;
with -DFIXED it must compile without a warning. Usage: run.py COMPILER INCLUDE... (files of ./static)."""
import concurrent.futures, os, pathlib, re, subprocess, sys


def compile(compiler, includes, file, fixed):
    flags = ["-std=c++20", "-fsyntax-only", "-fno-color-diagnostics" if "clang" in compiler else "-fdiagnostics-color=never"]
    flags += ["-I" + include for include in includes] + (["-DFIXED"] if fixed else [])
    done = subprocess.run([compiler, *flags, str(file)], capture_output=True, text=True)
    return done.returncode, done.stderr


def check(compiler, includes, file):
    text = file.read_text()
    expect = re.search(r"^// expect: (.*)$", text, re.M).group(1)
    lines = [i + 1 for i, line in enumerate(text.splitlines()) if line.endswith("// mistake")]
    code, output = compile(compiler, includes, file, fixed=False)
    if code <= 0:
        return f"compiles (exit status {code})"
    squeezed = " ".join(output.split())
    if expect not in squeezed:
        return f"does not say '{expect}':\n{output[:3000]}"
    if not any(f"{file.name}:{line}:" in output for line in lines):
        return f"does not name line {lines}:\n{output[:3000]}"
    code, output = compile(compiler, includes, file, fixed=True)
    if code != 0 or "warning:" in output:
        return f"does not compile cleanly without its mistake:\n{output[:3000]}"
    return None


def main():
    compiler, includes = sys.argv[1], sys.argv[2:]
    files = sorted((pathlib.Path(__file__).parent / "static").glob("*.cpp"))
    if not files:
        sys.exit("no programs found")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, problem in zip(files, pool.map(lambda f: check(compiler, includes, f), files)):
            if problem:
                failed += 1
                print(f"{file.name} {problem}")
    print(f"{len(files) - failed} of {len(files)} one-mistake programs fail as they should with {compiler}")
    sys.exit(failed != 0)


main()
