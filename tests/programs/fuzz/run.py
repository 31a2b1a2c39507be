"""Runs random cases against the references, and stops at nothing but the count.

    python -m tests.programs.fuzz.run [--cases 1000000] [--seed 0] [--only PART]

`--cases` is the number for the decoder of event streams; answers get a fifth of it, lines a tenth,
relayed streams and cancelled wrappers, which cost more, a hundredth and a tenth of it. A part's
case is made from its seed alone; a failure names it. The exit status is 1 where there was one.
"""

import argparse
import functools
import gc
import sys
import warnings
from time import monotonic

import anyio

from tests.programs.faults.run import Progress
from tests.programs.fuzz import answers, decoder, lines, relay, wrapper

SHARES = {"decoder": 1.0, "lines": 0.1, "relay": 0.01, "answers": 0.2, "wrapper": 0.1}
SHOWN = 5  # failures of one part that are shown


def plain(module, seed, count, told, failures):
    """Run `count` cases of a part; return their number."""
    for done in range(count):
        try:
            module.case(seed + done)
        except Exception as exc:
            failures.append((f"seed {seed + done}", exc))
        told(done + 1, len(failures))
    return count


async def cancelled(backend, seed, count, told, failures):
    """Cancel scenarios until `count` runs are done; return their number."""
    done = 0
    while done < count:
        try:
            done += await wrapper.sweep(backend, seed)
        except Exception as exc:
            failures.append((f"seed {seed} on {backend}", exc))
            done += 1
        seed += 1
        told(done, len(failures))
    gc.collect()  # what was forgotten says so now
    return done


def parts():
    """Return the parts by name: what a case is, and what runs them."""
    found = {
        module.__name__.rpartition(".")[2]: (module.CASE, functools.partial(plain, module))
        for module in (decoder, lines, relay, answers)
    }
    for name, (backend, options) in wrapper.BACKENDS.items():
        found[f"wrapper on {name}"] = (wrapper.CASE, functools.partial(_on, name, backend, options))
    return found


def _on(name, backend, options, seed, count, told, failures):
    count = -(-count // len(wrapper.BACKENDS))
    return anyio.run(
        cancelled, name, seed, count, told, failures, backend=backend, backend_options=options
    )


def run(name, case, part, seed, count):
    """Run one part and print its line; return whether all was well."""
    failures = []
    sys.unraisablehook = lambda told: failures.append(("forgotten", told.exc_value))
    began = monotonic()
    done = part(seed, count, Progress(count, f"cases of {name}"), failures)
    for where, exc in failures[:SHOWN]:
        print(f"{name}, {where}: {type(exc).__name__}: {str(exc)[:2_000]}")
    seconds = monotonic() - began
    print(f"{name}: {done:,} {case} in {seconds:.0f} s: {len(failures)} wrong", flush=True)
    return not failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=SHARES)
    args = parser.parse_args()
    warnings.simplefilter("error")
    well = [
        run(name, case, part, args.seed, max(1, int(args.cases * SHARES[name.partition(" ")[0]])))
        for name, (case, part) in parts().items()
        if args.only in (None, name.partition(" ")[0])
    ]
    return 0 if all(well) else 1


if __name__ == "__main__":
    raise SystemExit(main())
