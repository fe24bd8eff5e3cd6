"""Reads what this crate wrote with jaxlib, and writes down what jaxlib understood.

Usage: jaxlib_reads.py DIRECTORY

For each NAME.mlirbc (a portable artifact) and NAME.mlir (text) it writes NAME.mlirbc.back and NAME.mlir.back, the
program in the generic form, or the error after the line `ERROR`; and NAME.mlirbc.plain and NAME.mlir.plain, the program
in MLIR's bytecode as it is, in version 4.
"""

import pathlib
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def main(directory):
    with mlir.make_ir_context() as context:
        for file in sorted(pathlib.Path(directory).iterdir()):
            try:
                if file.suffix == ".mlirbc":
                    module = stablehlo.deserialize_portable_artifact(context, file.read_bytes())
                elif file.suffix == ".mlir":
                    module = ir.Module.parse(file.read_text())
                else:
                    continue
                text = module.operation.get_asm(print_generic_op_form=True)
            except Exception as error:
                text = f"ERROR\n{error}"
            else:
                with open(file.with_name(file.name + ".plain"), "wb") as plain:
                    module.operation.write_bytecode(plain, desired_version=4)
            file.with_name(file.name + ".back").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
