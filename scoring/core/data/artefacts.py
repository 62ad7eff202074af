"""The binary blobs that are stored: a ranking, a grade matrix, a vector of scores.

Every blob is a header (what it is, format version, checksum), two shape numbers and a payload,
little-endian throughout; nothing is pickled. `unpack_grades` and `unpack_vector` return read-only
views of the blob, without copying.

A ranking is compressed (zlib level 1) and its hashes are made anew on unpacking. Measured on a
TREC-COVID run of 30 x 1000 documents: 88 KB instead of 600 KB (240 ids, 240 hashes, 120 tie
groups), packed in 2.3 ms and unpacked in 0.9 ms. Hashes alone would cost another 101 KB and 0.6 ms
to inflate against 0.3 ms to compute, and would tie stored files to today's hash function. Grades
(30 KB) and vectors are stored as they are.
"""

import struct
import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.ranking import WORD, Ranking, hash_doc_ids

FORMAT_VERSION: Final = 1

_HEADER = struct.Struct("<8sII")  # kind, format version, CRC-32 of all that follows
_SHAPE = struct.Struct("<qq")  # two numbers, the second 0 for a vector
_RANKING = b"TSRANK\r\n"  # line ends: a transfer that "mends" them breaks the magic at once
_GRADES = b"TSGRAD\r\n"
_VECTOR = b"TSVECT\r\n"
_FED, _INFLATED = 1 << 16, 1 << 20  # bytes at a time
_RANKING_COUNTS = struct.Struct("<qq")  # bytes of topic names, bytes per document id


class ArtefactError(ValueError):
    """The bytes are not such an artefact, or of another format version, or damaged."""


def pack_ranking(ranking: Ranking) -> bytes:
    """The ranking as bytes; equal rankings give equal bytes under one version of zlib.

    Raises ValueError for a topic name that holds a NUL character.

    >>> pack_ranking(ranking)[:6]
    b'TSRANK'
    """
    if any("\0" in topic for topic in ranking.topics):
        raise ValueError("a topic name holds a NUL character")
    names = "\0".join(ranking.topics).encode()
    back = (ranking.positions - ranking.tie_groups).astype("<i4", copy=False)  # mostly 0
    packer = zlib.compressobj(1)
    # One after the other: of a long run all of them together are hundreds of megabytes.
    body = [
        packer.compress(part)
        for part in (
            _RANKING_COUNTS.pack(len(names), ranking.doc_ids.dtype.itemsize),
            names,
            ranking.lengths.astype("<i4").tobytes(),
            back.tobytes(),
            ranking.doc_ids.tobytes(),
        )
    ]
    shape = (len(ranking.topics), len(ranking.doc_ids))
    return _seal(_RANKING, shape, b"".join((*body, packer.flush())))


def unpack_ranking(blob: bytes) -> Ranking:
    """The ranking that `pack_ranking` packed. Raises ArtefactError.

    >>> unpack_ranking(pack_ranking(ranking)).doc_ids.tolist()
    [b'd1', b'd3', b'd2', b'd1']
    """
    (topics, documents), payload = _open(_RANKING, blob)
    try:
        body = zlib.decompress(payload)
        names_size, width = _RANKING_COUNTS.unpack_from(body)
        if width < WORD or names_size < 0:
            raise ArtefactError("the ranking's header is damaged")
        start = _RANKING_COUNTS.size
        names = body[start : start + names_size].decode()
        start += names_size
        lengths = np.frombuffer(body, "<i4", topics, start)
        start += lengths.nbytes
        back = np.frombuffer(body, "<i4", documents, start)
        start += back.nbytes
        doc_ids = np.frombuffer(body, f"S{width}", documents, start)
        starts = (np.cumsum(lengths) - lengths).astype(np.int32)
        positions = np.arange(documents, dtype=np.int32) - np.repeat(starts, lengths)
        return Ranking(
            topics=tuple(names.split("\0")) if topics else (),
            lengths=lengths.astype(np.int32, copy=False),
            doc_ids=doc_ids,
            hashes=hash_doc_ids(doc_ids),
            tie_groups=positions - back,
        )
    except (zlib.error, struct.error, ValueError) as error:
        raise ArtefactError(f"the ranking is damaged: {error}") from error


def unpack_topic(blob: bytes, topic: str) -> Ranking:
    """One topic of a packed ranking, as a ranking of that topic alone; without documents where it
    has none. The rest is inflated and dropped: memory is that of the blob and of the topic. Raises
    ArtefactError.

    >>> blob = pack_ranking(ranking)
    >>> unpack_topic(blob, "t2").doc_ids.tolist(), unpack_topic(blob, "t3").doc_ids.tolist()
    ([b'd1'], [])
    """
    ((back, doc_ids),) = _parts(blob, [(topic, 0, None)])
    return Ranking(
        topics=(topic,),
        lengths=np.array([len(doc_ids)], np.int32),
        doc_ids=doc_ids,
        hashes=hash_doc_ids(doc_ids),
        tie_groups=np.arange(len(doc_ids), dtype=np.int32) - back,
    )


def unpack_doc_ids(blob: bytes, cells: Sequence[tuple[str, int]]) -> list[bytes]:
    """The documents at these topics and positions, b"" where the ranking has none; in as little
    memory. Raises ArtefactError.

    >>> unpack_doc_ids(pack_ranking(ranking), [("t1", 2), ("t2", 1)])
    [b'd2', b'']
    """
    found = _parts(blob, [(topic, position, position + 1) for topic, position in cells])
    return [bytes(doc_ids[0]) if len(doc_ids) else b"" for _, doc_ids in found]


def _parts(
    blob: bytes, wanted: Sequence[tuple[str, int, int | None]]
) -> list[tuple[NDArray[np.int32], NDArray[np.bytes_]]]:
    """Of each (topic, first position, end) how far back the tied groups begin, and the documents;
    no two of them may overlap."""
    (topics, documents), payload = _open(_RANKING, blob)
    try:
        body = _Inflating(payload)
        names_size, width = _RANKING_COUNTS.unpack(body.read(_RANKING_COUNTS.size))
        if width < WORD or names_size < 0:
            raise ArtefactError("the ranking's header is damaged")
        # An empty text would be split into one name.
        names = body.read(names_size).decode().split("\0") if topics else []
        lengths = np.frombuffer(body.read(4 * topics), "<i4").astype(np.int64)
        bounds = dict(zip(names, np.stack([np.cumsum(lengths) - lengths, lengths], 1), strict=True))
        # From which document of the ranking to which; a topic that it lacks has none.
        spans = []
        for topic, first, end in wanted:
            start, length = bounds[topic].tolist() if topic in bounds else (0, 0)
            stop = length if end is None else min(end, length)
            spans.append((start + min(first, stop), start + stop))
        backs = body.read_column(spans, documents, 4)
        doc_ids = body.read_column(spans, documents, width)
        return [
            (np.frombuffer(back, "<i4"), np.frombuffer(ids, f"S{width}"))
            for back, ids in zip(backs, doc_ids, strict=True)
        ]
    except (zlib.error, struct.error, ValueError) as error:
        raise ArtefactError(f"the ranking is damaged: {error}") from error


class _Inflating:
    """A compressed payload, read forwards."""

    def __init__(self, payload: memoryview) -> None:
        self._inflater = zlib.decompressobj()
        self._payload: memoryview = payload
        self._ready = memoryview(b"")

    def read_column(self, spans: Sequence[tuple[int, int]], count: int, width: int) -> list[bytes]:
        """Some of the next `count` items of this many bytes each; the column is read to its end."""
        found, at = {}, 0
        # In their order, because the payload is read forwards; two parts can be one and the same.
        for begin, end in sorted(set(spans)):
            self._skip((begin - at) * width)
            found[begin, end] = self.read((end - begin) * width)
            at = end
        self._skip((count - at) * width)
        return [found[span] for span in spans]

    def read(self, size: int) -> bytes:
        parts = []
        while size:
            part = self._next(size)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _skip(self, size: int) -> None:
        if size < 0:
            raise ArtefactError("parts of a ranking overlap")
        while size:
            size -= len(self._next(size))

    def _next(self, most: int) -> memoryview:
        """At least one byte of what follows, and no more than this many."""
        while not self._ready:
            fed: bytes | memoryview = self._inflater.unconsumed_tail
            if not fed:
                fed, self._payload = self._payload[:_FED], self._payload[_FED:]
            # Never more than a MiB at a time, however much the payload expands.
            self._ready = memoryview(self._inflater.decompress(fed, _INFLATED))
            if not self._ready and not fed:
                raise ArtefactError("the ranking is cut off")
        part, self._ready = self._ready[:most], self._ready[most:]
        return part


def pack_grades(grades: NDArray[np.int8]) -> bytes:
    """A grade matrix int8[topics, depth] as bytes.

    >>> len(pack_grades(np.array([[2, -1]], np.int8)))  # 16 bytes of header, 16 of shape, 2 grades
    34
    """
    if grades.ndim != 2 or grades.dtype != np.int8:
        raise ValueError(f"grades must be int8[topics, depth], not {grades.dtype}{grades.shape}")
    return _seal(_GRADES, grades.shape, grades.tobytes())


def unpack_grades(blob: bytes) -> NDArray[np.int8]:
    """int8[topics, depth], a read-only view of the blob. Raises ArtefactError.

    >>> unpack_grades(pack_grades(np.array([[2, -1, -128]], np.int8))).tolist()
    [[2, -1, -128]]
    """
    (topics, depth), payload = _open(_GRADES, blob)
    if len(payload) != topics * depth:
        raise ArtefactError(f"{len(payload)} grades for {topics} x {depth} ranks")
    return np.frombuffer(payload, np.int8).reshape(topics, depth)


def pack_vector(values: NDArray[np.float64]) -> bytes:
    """A vector float64[n] as bytes, NaN included.

    >>> len(pack_vector(np.array([0.5, np.nan])))  # 16 bytes of header, 16 of shape, 2 values
    48
    """
    if values.ndim != 1 or values.dtype != np.float64:
        raise ValueError(f"a vector must be float64[n], not {values.dtype}{values.shape}")
    return _seal(_VECTOR, (len(values), 0), values.astype("<f8", copy=False).tobytes())


def unpack_vector(blob: bytes) -> NDArray[np.float64]:
    """float64[n], a read-only view of the blob. Raises ArtefactError.

    >>> unpack_vector(pack_vector(np.array([0.5, np.nan]))).tolist()
    [0.5, nan]
    """
    (length, _), payload = _open(_VECTOR, blob)
    if len(payload) != length * 8:
        raise ArtefactError(f"{len(payload)} bytes for {length} values")
    return np.frombuffer(payload, "<f8").astype(np.float64, copy=False)


def _seal(kind: bytes, shape: tuple[int, ...], payload: bytes) -> bytes:
    numbers = _SHAPE.pack(*shape)
    # The shape is covered as well: a wrong one would not show in the payload.
    checksum = zlib.crc32(payload, zlib.crc32(numbers))
    return _HEADER.pack(kind, FORMAT_VERSION, checksum) + numbers + payload


def _open(kind: bytes, blob: bytes) -> tuple[tuple[int, int], memoryview]:
    """The two shape numbers and the payload, after every check that holds for all kinds."""
    start = _HEADER.size + _SHAPE.size
    if len(blob) < start:
        raise ArtefactError(f"only {len(blob)} bytes, shorter than a header")
    found, version, checksum = _HEADER.unpack_from(blob)
    if found != kind:
        raise ArtefactError(f"expected {kind!r}, found {found!r}")
    if version != FORMAT_VERSION:
        raise ArtefactError(f"format version {version}, this program reads {FORMAT_VERSION}")
    if zlib.crc32(memoryview(blob)[_HEADER.size :]) != checksum:
        raise ArtefactError("the bytes are damaged or cut off")
    first, second = _SHAPE.unpack_from(blob, _HEADER.size)
    return (first, second), memoryview(blob)[start:]
