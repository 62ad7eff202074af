from numpy import int32, uint64
from numpy.typing import NDArray

def scan_run(
    text: bytes, /
) -> (
    tuple[bytearray, list[bytes], list[bytes], bytes, bytearray, int, bytearray, bytearray, int]
    | None
): ...
def scan_qrels(
    text: bytes, /
) -> (
    tuple[bytearray, list[bytes], list[bytes], bytes, bytearray, int, bytearray, bytearray, int]
    | None
): ...
def repeated_rows(
    topics: NDArray[int32], ids: NDArray[uint64], words: int, /
) -> bytearray | None: ...
