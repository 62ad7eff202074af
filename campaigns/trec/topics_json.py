"""Topics in JSON: one object on each line, one array of objects, or one object whose keys are the
ids. The turns of a conversation are topics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from campaigns.trec.topics_checks import ID_NAMES, RawTopic, refuse_more
from campaigns.trec.topics_text import QUERY, ROW_CHARACTERS, TREC_NAMES, topic_rows

TURN_LISTS: Final = ("turn", "turns")  # of TREC CAsT and iKAT
TURN_IDS: Final = ("number", "turn_id", "id")
UTTERANCE: Final = "utterance"
ROLES: Final = ("participant", "role", "speaker", "author")
SYSTEMS: Final = ("system", "assistant", "agent", "bot")  # whose turns are answers
FIELD_NAMES: Final = TREC_NAMES | {"text", UTTERANCE}
WINDOWS: Final = (1 << 12, 1 << 16, ROW_CHARACTERS)  # characters, of which a value is read
BLANKS: Final = re.compile(r"[ \t\n\r]*")


class JsonNumber(str):
    """A JSON number as it is written: `1e3` stays `1e3`."""

    __slots__ = ()


class _Object(dict[str, Any]):
    """A JSON object without repeated keys."""


def json_topics(text: str, findings: ProblemList, most: int) -> Iterator[RawTopic]:
    """Each object has an id and texts. Values of other types are left out."""
    first, _, rest = text.lstrip().partition("\n")
    if first.startswith("["):
        yield from _array(_Cursor(text), findings, most)
    elif rest.strip() and (first.rstrip().endswith("}") or _is_json(first)):
        for line, row in topic_rows(text, most):
            try:
                yield from _topics(line, _decoded(row.strip()), findings)
            except ValueError as error:
                findings.add(Problem("JSON", line, str(error), None, shown(row)))
    else:
        yield from _objects(_Cursor(text), findings, most)


def _array(cursor: _Cursor, findings: ProblemList, most: int) -> Iterator[RawTopic]:
    cursor.take("[")
    separator = "" if cursor.take("]") else ","
    count = 0
    while separator == ",":
        line, value = cursor.value()
        count += 1
        if count > most:
            refuse_more(most, line)
        try:
            yield from _topics(line, value, findings)
        except ValueError as error:
            findings.add(Problem("JSON", line, str(error)))
        separator = cursor.take(",]") or cursor.refuse("a comma or ] is missing")
    if not cursor.is_at_end:
        cursor.refuse("there is text after the end of the array")


def _objects(cursor: _Cursor, findings: ProblemList, most: int) -> Iterator[RawTopic]:
    """Objects over several lines, one after another. The keys of one without an id are ids."""
    count = 0
    while not cursor.is_at_end:
        begin, members = cursor.line, []
        for line, name, value in _members(cursor):
            members.append((line, name, value))
            count += 1
            if count > most:
                refuse_more(most, line)
        values = _Object((name, value) for _, name, value in members)
        if len(values) < len(members):
            refuse("JSON", "a key is repeated", begin)
        names = {name.lower() for name in values}
        if names & {*ID_NAMES, *FIELD_NAMES} or not names:
            try:
                yield from _topics(begin, values, findings)
            except ValueError as error:
                findings.add(Problem("JSON", begin, str(error)))
            continue
        for line, name, value in members:
            if isinstance(value, str):
                yield RawTopic(line, name, ((QUERY, value),))
            elif isinstance(value, _Object) and FIELD_NAMES & {each.lower() for each in value}:
                texts, left_out = _texts(value)
                yield RawTopic(line, name, tuple(texts), left_out)
            else:
                message = "the topic is neither text nor an object with a text, title or query"
                findings.add(Problem("JSON", line, message, None, shown(name)))


def _members(cursor: _Cursor) -> Iterator[tuple[int, str, Any]]:
    if not cursor.take("{"):
        cursor.refuse("an object is expected here")
    separator = "" if cursor.take("}") else ","
    while separator == ",":
        line, name = cursor.value()
        if isinstance(name, JsonNumber) or not isinstance(name, str) or not cursor.take(":"):
            cursor.refuse("a key in quotes and a colon are expected here")
        yield line, name, _kept(cursor.value()[1])
        separator = cursor.take(",}") or cursor.refuse("a comma or } is missing")


def _topics(line: int, value: Any, findings: ProblemList) -> Iterator[RawTopic]:
    """The topic of an object, or those of its turns. Raises ValueError."""
    if not isinstance(value, _Object):
        raise ValueError("not a JSON object")
    id_name = _id_name(value, ID_NAMES)
    code = value.get(id_name)
    if code is not None and not isinstance(code, str):
        raise ValueError("the id is neither text nor a number")
    turns = next((value[name] for name in TURN_LISTS if _are_turns(value.get(name))), None)
    if turns is None:
        texts, left_out = _texts(value, id_name)
        yield RawTopic(line, code, tuple(texts), left_out)
        return
    common, left_out = _texts(
        {name: each for name, each in value.items() if name not in TURN_LISTS}, id_name
    )
    for turn in turns:
        if any(str(turn.get(role)).lower() in SYSTEMS for role in ROLES):
            message = "{n} {turn|turns} of the system {is|are} left out"
            findings.warn("LEFT_OUT_TURNS", message, line=line)
            continue
        turn_name = _id_name(turn, TURN_IDS)
        number = turn.get(turn_name)
        texts, others = _texts(turn, turn_name)
        # The utterance first: `query_field` takes the first field where it knows no name.
        texts.sort(key=lambda field: UTTERANCE not in field[0].lower())
        turn_code = f"{code.strip()}_{number.strip()}" if code and isinstance(number, str) else None
        yield RawTopic(line, turn_code, (*texts, *common), (*others, *left_out))


def _id_name(value: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The key of the id, in any case and with a hyphen or an underscore."""
    keys = {key.lower().replace("-", "_"): key for key, each in value.items() if each is not None}
    return next((keys[name] for name in names if name in keys), "")


def _are_turns(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(t, _Object) for t in value)


def _texts(value: Mapping[str, Any], id_name: str = "") -> tuple[list[tuple[str, str]], Any]:
    """The fields that are text or a number, and the names of the others that are not empty."""
    fields = [(name, each) for name, each in value.items() if name != id_name or not name]
    texts = [(name, str(each)) for name, each in fields if isinstance(each, str)]
    others = (name for name, each in fields if not isinstance(each, str) and each not in ([], {}))
    return texts, tuple(others)


class _Cursor:
    """Reads a JSON text value by value, with the line of each, so that what is kept of a file is
    never more than one value as a tree."""

    def __init__(self, text: str) -> None:
        self.line = 1
        self._text = text
        self._at = 0
        self._skip_blanks()

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._text)

    def take(self, characters: str) -> str:
        """The next character if it is one of these, else an empty text."""
        found = self._text[self._at : self._at + 1]
        if not found or found not in characters:
            return ""
        self._move(self._at + 1)
        return found

    def value(self) -> tuple[int, Any]:
        """The next value and its line. Raises FormatError."""
        line, left = self.line, len(self._text) - self._at
        for size in WINDOWS:
            piece = self._text[self._at : self._at + size]
            # A value is decoded from a small piece first: decoding the whole rest for each would
            # take quadratic time.
            is_rest = size >= left
            try:
                value, length = _DECODER.raw_decode(piece)
            except json.JSONDecodeError as error:
                # An error near the end of the piece may be the cut: a token such as \u00e9 or true
                # is shorter.
                is_cut = error.pos > size - 16 or error.msg.startswith("Unterminated")
                if is_rest or (size == ROW_CHARACTERS and not is_cut):
                    refuse("JSON", f"not JSON: {error.msg}", line + error.lineno - 1)
            except ValueError as error:
                refuse("JSON", str(error), line)
            except RecursionError:
                refuse("JSON", "the JSON is nested too deeply", line)
            else:
                if is_rest or length < size:  # else a number may go on
                    self._move(self._at + length)
                    return line, value
        message = f"the topic is longer than {ROW_CHARACTERS:,} characters"
        refuse("LINE_TOO_LONG", message, line)

    def refuse(self, message: str) -> str:
        """Raises FormatError."""
        refuse("JSON", f"not JSON: {message}", self.line, self._text[self._at : self._at + 100])

    def _move(self, to: int) -> None:
        self.line += self._text.count("\n", self._at, to)
        self._at = to
        self._skip_blanks()

    def _skip_blanks(self) -> None:
        blanks = BLANKS.match(self._text, self._at)
        if blanks and blanks.end() > self._at:
            self.line += self._text.count("\n", self._at, blanks.end())
            self._at = blanks.end()


def _decoded(row: str) -> Any:
    """Raises ValueError."""
    try:
        return _DECODER.decode(row)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _is_json(row: str) -> bool:
    try:
        _decoded(row)
    except ValueError:
        return False
    return True


def _object(items: list[tuple[str, Any]]) -> _Object:
    value = _Object((name, _kept(each)) for name, each in items)
    if len(value) < len(items):
        raise ValueError("a key is repeated")
    return value


def _kept(value: Any) -> Any:
    """Of a list that has no turns only whether it is empty: a vector of numbers takes thirty times
    as much memory as its text."""
    if not isinstance(value, list) or _are_turns(value):
        return value
    return [None] if value else []


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=JsonNumber,
    parse_float=JsonNumber,
    parse_constant=_no_constant,
)
