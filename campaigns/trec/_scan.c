/* Reads the lines of runs and qrels as most programs write them:

       topic Q0 document rank score tag
       topic iteration document grade

   with spaces or tabs between the fields, LF or CR LF at the end, printable ASCII only, and one tag
   throughout. `scan_run` and `scan_qrels` return the columns of such lines, and None for anything else: the Python
   reader (fields.py) then reads the same lines, and it alone knows what is wrong and what to warn
   of. Wherever both read a line, the columns are the same bit for bit.

   Words of eight bytes are loaded from anywhere in the text. So that none is loaded from behind it,
   its last bytes are scanned in a copy. Nothing is stored between two calls, and the GIL is released
   while lines are scanned, so that two threads can read two runs. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !defined(__SIZEOF_INT128__)
#error "only for little-endian machines with integers of 128 bits; the Python reader runs anywhere"
#endif

#define LINE_BYTES (64 << 10) /* as in blocks.py */
#define DOC_BYTES 1024        /* as in columns.py */
#define MAX_GRADE 127         /* as in qrels.py */
#define RANK_DIGITS 8         /* as in fields.py  */
#define SCORE_BYTES 40
#define SHORTEST_LINE 8 /* of qrels: one byte for each field, a blank between them, and LF */
#define WORD 8
#define TAIL_BYTES (LINE_BYTES + 2 * WORD)

typedef const unsigned char *Text;

/* --- words of eight bytes ------------------------------------------------------------------- */

#define ONES 0x0101010101010101u
#define HIGH_BITS (0x80 * ONES)

static inline uint64_t word_at(const void *place) {
    uint64_t word;
    memcpy(&word, place, WORD);
    return word;
}

/* The high bit of every byte that no field may contain: blanks, controls, DEL and beyond ASCII. */
static inline uint64_t not_printable(uint64_t word) {
    uint64_t low = word & ~HIGH_BITS;
    uint64_t above_space = low + (0x7f - ' ') * ONES;
    uint64_t del = low + ONES;
    return (~above_space | del | word) & HIGH_BITS;
}

static inline Text end_of_field(Text at) {
    uint64_t marks;
    while (!(marks = not_printable(word_at(at)))) at += WORD;
    return at + (__builtin_ctzll(marks) >> 3);
}

static inline int is_blank(unsigned char byte) { return byte == ' ' || byte == '\t'; }

static inline int is_digit(unsigned char byte) { return (unsigned)(byte - '0') < 10; }

static inline int is_equal(Text a, Text b, size_t bytes) {
    for (; bytes >= WORD; bytes -= WORD, a += WORD, b += WORD)
        if (word_at(a) != word_at(b)) return 0;
    return !bytes || (word_at(a) ^ word_at(b)) << (64 - 8 * bytes) == 0;
}

/* What follows the blanks behind a field; NULL if there is none. */
static inline Text after_blanks(Text at) {
    if (!is_blank(*at)) return NULL;
    if (*++at > ' ') return at; /* almost always */
    while (is_blank(*at)) at++;
    return at;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define EXACT_POWER 22 /* 10^22 is the last power of ten that is a double */
#define EXACT_INTEGER ((uint64_t)1 << 53)
#define WORD_DIGITS 19 /* any integer of so many digits is below 2^64 */
static const uint64_t FIVES[] = {
    1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u,
    244140625u, 1220703125u, 6103515625u, 30517578125u, 152587890625u, 762939453125u,
    3814697265625u, 19073486328125u, 95367431640625u, 476837158203125u, 2384185791015625u,
    11920928955078125u, 59604644775390625u, 298023223876953125u, 1490116119384765625u,
    7450580596923828125u};
#define LAST_FIVE 27 /* 5^28 is above 2^64 */

static inline int are_digits(uint64_t word) {
    uint64_t digits = word ^ '0' * ONES;
    return !(((digits + (0x7f - 9) * ONES) | digits) & HIGH_BITS);
}

/* The value of eight digits: they become pairs, then fours, then one number. */
static inline uint64_t value_of_digits(uint64_t word) {
    uint64_t digits = word ^ '0' * ONES;
    digits = 10 * digits + (digits >> 8);
    uint64_t low = (digits & 0x000000FF000000FF) * 0x000F424000000064;
    uint64_t high = (digits >> 16 & 0x000000FF000000FF) * 0x0000271000000001;
    return (low + high) >> 32;
}

/* Scans digits and appends them to *m, one by one: the processor foresees how many the next number
   has, and goes on with what follows. If arithmetic found their end, all else would wait for it. */
static inline Text scan_digits(Text at, uint64_t *m) {
    while (is_digit(*at)) *m = 10 * *m + (*at++ - '0');
    return at;
}

/* The same for digits that are often many. */
static inline Text scan_fraction(Text at, uint64_t *m) {
    for (uint64_t word; are_digits(word = word_at(at)); at += WORD)
        *m = 100000000 * *m + value_of_digits(word);
    return scan_digits(at, m);
}

static inline Text scan_rank(Text at, int32_t *rank) {
    int negative = *at == '-';
    Text first = at += negative;
    uint64_t value = 0;
    at = scan_digits(at, &value);
    *rank = negative ? -(int32_t)value : (int32_t)value;
    return at > first && at - first <= RANK_DIGITS ? at : NULL;
}

/* Whole numbers from -MAX_GRADE to MAX_GRADE without leading zeros. */
static inline Text scan_grade(Text at, int32_t *grade) {
    Text digits = at + (*at == '-');
    Text end = scan_rank(at, grade);
    int is_padded = *digits == '0' && end - digits > 1;
    return end && !is_padded && *grade <= MAX_GRADE && *grade >= -MAX_GRADE ? end : NULL;
}

/* m / 10^k for 0 < k <= LAST_FIVE, correctly rounded: 63 or 64 bits of m / 5^k, and whether anything
   follows them, decide how to round to 53. */
static double divided(uint64_t m, int k) {
    uint64_t power = FIVES[k];
    int up = __builtin_clzll(m), left = __builtin_clzll(power);
    unsigned __int128 dividend = (unsigned __int128)(m << up) << 63; /* below divisor * 2^64 */
    uint64_t divisor = power << left;
    uint64_t quotient = (uint64_t)(dividend / divisor);
    int follows = dividend != (unsigned __int128)quotient * divisor;
    int spare = 64 - __builtin_clzll(quotient) - 53;
    uint64_t half = (uint64_t)1 << (spare - 1), rest = quotient & (2 * half - 1);
    uint64_t kept = quotient >> spare;
    kept += rest > half || (rest == half && (follows || (kept & 1)));
    int exponent = spare - 63 - up + left - k; /* above -200: never subnormal */
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, WORD);
    return (double)kept * scale;
}

/* Puts m * 10^power into `value`; 0 where only float() may round it. */
static inline int scaled(uint64_t m, long power, double *value) {
    if (m <= EXACT_INTEGER && power >= -EXACT_POWER && power <= EXACT_POWER)
        *value = power < 0 ? (double)m / POWERS[-power] : (double)m * POWERS[power];
    else if (m == 0)
        *value = 0;
    else if (power < 0 && power >= -LAST_FIVE)
        *value = divided(m, (int)-power);
    else
        return 0;
    return 1;
}

/* As `scaled`, for more digits than m can hold: the number lies between the one of its first digits
   and the next one, and where both are rounded to the same double, so is all between them. */
static int scaled_long(Text at, Text end, long power, double *value) {
    uint64_t m = 0;
    int count = 0, is_cut = 0;
    for (; end[-1] == '0' && end > at + 1; end--) power++;
    for (; at < end; at++) {
        if (*at == '.') continue;
        if (count == WORD_DIGITS) {
            power++;
            is_cut = 1;
        } else {
            m = 10 * m + (*at - '0');
            count += m > 0;
        }
    }
    double above;
    return scaled(m, power, value) &&
           (!is_cut || (scaled(m + 1, power, &above) && *value == above));
}

enum { BAD, GOOD, HARD };

/* Scans `[sign] digits [. digits] [e [sign] digits]` up to `*end`. HARD is a number that float() has
   to read. */
static inline int scan_score(Text at, Text *end, double *score) {
    Text begin = at;
    int negative = *at == '-';
    at += negative || *at == '+';
    Text digits = at;
    uint64_t m = 0;
    at = scan_digits(at, &m);
    long count = at - digits, power = 0, exponent = 0;
    if (*at == '.') {
        Text point = ++at;
        at = scan_fraction(at, &m);
        power = point - at;
        count -= power;
    }
    Text end_of_digits = at;
    if (!count) return BAD;
    if ((*at | 0x20) == 'e') {
        int is_small = *++at == '-';
        at += is_small || *at == '+';
        Text first = at;
        while (is_digit(*at) && at - first < 5) exponent = 10 * exponent + (*at++ - '0');
        if (at == first) return BAD;
        power += is_small ? -exponent : exponent;
    }
    *end = at;
    if (at - begin > SCORE_BYTES) return BAD;
    double value;
    if (count <= WORD_DIGITS ? !scaled(m, power, &value)
                             : !scaled_long(digits, end_of_digits, power, &value))
        return HARD;
    *score = negative ? -value : value;
    return GOOD;
}

/* --- what is read ------------------------------------------------------------------------------ */

/* Line after line: where the document is, and what follows it. */
typedef struct {
    Text *docs;
    uint16_t *doc_bytes;
    int32_t *numbers; /* ranks or grades */
    double *scores;   /* NULL for qrels */
} Columns;

/* A line whose topic or second field are not those of the line before. */
typedef struct {
    Text topic, topic_end, literal, literal_end;
    int64_t row;
} Head;

typedef struct {
    void *items;
    size_t size, count, room;
} List;

static void *pushed(List *list) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        void *items = realloc(list->items, room * list->size);
        if (!items) return NULL;
        list->items = items, list->room = room;
    }
    return (char *)list->items + list->size * list->count++;
}

typedef struct {
    List heads, hard; /* of Head; of size_t, rows whose score float() has to read */
    Text head; /* of the last line, with the blanks behind it */
    size_t head_bytes;
    Text tag;
    size_t tag_bytes;
    size_t rows, longest_doc;
    size_t carriage_returns;
} Found;

/* Topic and second field of a line; returns where its document begins, NULL if it is irregular. */
static Text scan_head(Text at, Head *head) {
    if (*at == '#') return NULL; /* a comment */
    Text end = end_of_field(at);
    head->topic = at, head->topic_end = end;
    if (end == at || !(at = after_blanks(end))) return NULL;
    end = end_of_field(at);
    head->literal = at, head->literal_end = end;
    return end == at ? NULL : after_blanks(end);
}

/* Returns the end of the tag, NULL if it is not that of the lines before. */
static inline Text scan_tag(Text tag, Text end, Found *found) {
    if (!found->tag) {
        found->tag = tag;
        found->tag_bytes = (size_t)(end_of_field(tag) - tag);
        return found->tag_bytes ? tag + found->tag_bytes : NULL;
    }
    int is_same = (size_t)(end - tag) >= found->tag_bytes &&
                  is_equal(tag, found->tag, found->tag_bytes);
    return is_same ? tag + found->tag_bytes : NULL;
}

/* Returns what follows the line, NULL if it does not end here. */
static inline Text scan_end(Text at, Found *found) {
    while (is_blank(*at)) at++;
    if (*at == '\r') {
        found->carriage_returns++;
        at++;
    }
    return *at == '\n' ? at + 1 : NULL;
}

enum { REGULAR, IRREGULAR, NO_MEMORY };

/* Scans topic, second field and document. Returns what follows the document and the blanks behind
   it, NULL if the line is irregular. */
static inline Text scan_document(Text line, Text end, Columns into, Found *found, int *status) {
    Text at = line + found->head_bytes;
    int is_like_last = found->head_bytes && (size_t)(end - line) > found->head_bytes &&
                       is_equal(line, found->head, found->head_bytes) && *at > ' ';
    if (!is_like_last) {
        Head *head = pushed(&found->heads);
        if (!head) {
            *status = NO_MEMORY;
            return NULL;
        }
        head->row = (int64_t)found->rows;
        at = scan_head(line, head);
        if (!at) return NULL;
        found->head = line;
        found->head_bytes = (size_t)(at - line);
    }
    Text doc = at;
    at = end_of_field(at);
    size_t bytes = (size_t)(at - doc);
    if (!bytes || bytes > DOC_BYTES) return NULL;
    if (bytes > found->longest_doc) found->longest_doc = bytes;
    into.docs[found->rows] = doc;
    into.doc_bytes[found->rows] = (uint16_t)bytes;
    return after_blanks(at);
}

/* Scans rank, score and tag. Returns what follows, NULL if the line is irregular. */
static inline Text scan_result(Text at, Text end, Columns into, Found *found, int *status) {
    at = scan_rank(at, &into.numbers[found->rows]);
    at = at ? after_blanks(at) : NULL;
    if (!at) return NULL;
    int how = scan_score(at, &at, &into.scores[found->rows]);
    if (how == BAD) return NULL;
    if (how == HARD) {
        size_t *hard = pushed(&found->hard);
        if (!hard) {
            *status = NO_MEMORY;
            return NULL;
        }
        *hard = found->rows;
    }
    at = after_blanks(at);
    return at ? scan_tag(at, end, found) : NULL;
}

static int scan_lines(Text at, Text end, Columns into, Found *found) {
    int status = IRREGULAR;
    for (; at < end; found->rows++) {
        Text line = at;
        at = scan_document(line, end, into, found, &status);
        if (!at) return status;
        at = into.scores ? scan_result(at, end, into, found, &status)
                         : scan_grade(at, &into.numbers[found->rows]);
        at = at ? scan_end(at, found) : NULL;
        if (!at || at - line > LINE_BYTES) return status;
    }
    return REGULAR;
}

/* Scans all lines: those that end less than eight bytes before the end in a copy, `tail`. */
static int scan_all(Text begin, Text end, unsigned char *tail, Columns into, Found *found) {
    Text last = end - begin > WORD ? end - WORD : begin;
    while (last > begin && last[-1] != '\n') last--;
    size_t bytes = (size_t)(end - last);
    if (bytes > TAIL_BYTES - WORD) return IRREGULAR;
    memcpy(tail, last, bytes);
    memset(tail + bytes, 0, WORD);
    int status = scan_lines(begin, last, into, found);
    return status == REGULAR ? scan_lines(tail, tail + bytes, into, found) : status;
}

/* Ids of `words` words of eight bytes each, padded with NUL. */
static void copy_ids(Columns from, size_t rows, size_t words, uint64_t *into) {
    for (size_t row = 0; row < rows; row++, into += words) {
        Text at = from.docs[row];
        long bytes = from.doc_bytes[row];
        size_t word = 0;
        for (; bytes >= WORD; bytes -= WORD, at += WORD) into[word++] = word_at(at);
        if (bytes) into[word++] = word_at(at) & (((uint64_t)1 << (8 * bytes)) - 1);
        while (word < words) into[word++] = 0;
    }
}

/* --- documents named twice in a topic ------------------------------------------------------------ */

#define GOLDEN 0x9E3779B97F4A7C15u
#define SLOTS_A_ROW 4
#define MOST_ROWS (1 << 21) /* of a part: their slots take 64 MiB */
#define PROBES_A_ROW 16 /* on average; more is no accident: the ids were made to collide */

typedef struct {
    const int32_t *topics;
    const uint64_t *ids; /* `words` of each row */
    size_t rows, words;
} Named;

static inline uint64_t hash_of(const uint64_t *id, size_t words) {
    uint64_t hash = 0;
    for (size_t k = 0; k < words; k++) hash += id[k] * (GOLDEN * (2 * k + 1));
    return hash;
}

/* Where the rows of the topics that begin at `first` end: one topic after the other, as long as they
   stand together; all rows at once otherwise. */
static size_t end_of_part(Named all, size_t first, int stand_together) {
    if (!stand_together) return all.rows;
    size_t end = first + 1;
    while (end < all.rows && all.topics[end] == all.topics[first]) end++;
    return end;
}

static int stand_together(Named all) {
    for (size_t row = 1; row < all.rows; row++)
        if (all.topics[row] < all.topics[row - 1]) return 0;
    return 1;
}

/* A slot holds the last row of those that were put there, and 32 bits of its hash, so that ids are
   compared only if they are most likely the same. Rows of earlier parts count as none. */
typedef struct {
    uint32_t row_and_1, check;
} Slot;

/* The slot of the same document and topic, or a free one; NULL after `*probes` comparisons. */
static inline Slot *slot_of(Named all, size_t row, size_t first, Slot *slots, int bits,
                            size_t *probes) {
    const uint64_t *id = all.ids + row * all.words;
    uint64_t hash = hash_of(id, all.words) + (uint64_t)all.topics[row] * (GOLDEN << 1);
    size_t place = hash >> (64 - bits);
    uint32_t check = (uint32_t)(hash >> (32 - bits));
    while (slots[place].row_and_1 > first) {
        size_t other = slots[place].row_and_1 - 1;
        if (slots[place].check == check && all.topics[other] == all.topics[row] &&
            !memcmp(all.ids + other * all.words, id, WORD * all.words))
            return &slots[place];
        if (!--*probes) return NULL;
        place = (place + 1) & (((size_t)1 << bits) - 1);
    }
    slots[place].check = check;
    return &slots[place];
}

enum { FOUND = REGULAR, TOO_MUCH = IRREGULAR };

/* Pushes pairs of rows: one that names a document again, and the one that named it first. */
static int find_repeated(Named all, List *pairs) {
    int together = stand_together(all), status = FOUND, bits = 0;
    Slot *slots = NULL;
    for (size_t first = 0, end; status == FOUND && first < all.rows; first = end) {
        end = end_of_part(all, first, together);
        if (end - first > MOST_ROWS) {
            status = TOO_MUCH;
            break;
        }
        int needed = 2;
        while (((size_t)1 << needed) < SLOTS_A_ROW * (end - first)) needed++;
        if (needed > bits) {
            free(slots);
            slots = calloc((size_t)1 << (bits = needed), sizeof *slots);
            if (!slots) return NO_MEMORY;
        }
        size_t probes = PROBES_A_ROW * (end - first) + 1000;
        for (size_t row = first; status == FOUND && row < end; row++) {
            Slot *slot = slot_of(all, row, first, slots, bits, &probes);
            if (!slot) {
                status = TOO_MUCH;
            } else if (slot->row_and_1 <= first) {
                slot->row_and_1 = (uint32_t)row + 1;
            } else {
                int64_t *pair = pushed(pairs);
                if (!pair) status = NO_MEMORY;
                else pair[0] = (int64_t)row, pair[1] = slot->row_and_1 - 1;
            }
        }
    }
    free(slots);
    return status;
}

/* --- order and ties ------------------------------------------------------------------------------ */

typedef struct {
    const int32_t *topics, *ranks;
    const double *scores;
    size_t rows;
} Ranked;

typedef struct {
    int64_t against; /* rows whose rank contradicts their score, compared with the row before */
    int64_t first_against;
    int64_t tied; /* rows that share their score with another of their topic */
} Order;

/* Returns 0 where topics do not stand together or a score rises: rows must be sorted to see ties.
   Without branches in the loop, which would be guessed wrong too often. */
static int look_at_order(Ranked run, Order *order) {
    int64_t against = 0, tied = 0;
    int out_of_order = 0, was_tied = 0;
    for (size_t row = 1; row < run.rows; row++) {
        int same = run.topics[row] == run.topics[row - 1];
        double score = run.scores[row], before = run.scores[row - 1];
        out_of_order |= (run.topics[row] < run.topics[row - 1]) | (same & (score > before));
        int is_tied = same & (score == before);
        tied += is_tied + (is_tied & !was_tied);
        was_tied = is_tied;
        against += same & (score < before) & (run.ranks[row] < run.ranks[row - 1]);
    }
    *order = (Order){against, 0, tied};
    for (size_t row = 1; against && !order->first_against; row++)
        if (run.topics[row] == run.topics[row - 1] && run.scores[row] < run.scores[row - 1] &&
            run.ranks[row] < run.ranks[row - 1])
            order->first_against = (int64_t)row;
    return !out_of_order;
}

/* --- for Python ---------------------------------------------------------------------------------- */

static PyObject *array_of(size_t bytes) {
    return PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)bytes);
}

static PyObject *array_from(List list) {
    return PyByteArray_FromStringAndSize(list.items, (Py_ssize_t)(list.count * list.size));
}

static PyObject *bytes_of(Text begin, Text end) {
    return PyBytes_FromStringAndSize((const char *)begin, end - begin);
}

/* The rows, topics and second fields of the heads: an array of int64 and two lists of bytes. */
static PyObject *heads_for_python(List heads) {
    Py_ssize_t count = (Py_ssize_t)heads.count;
    const Head *head = heads.items;
    PyObject *rows = array_of(heads.count * sizeof(int64_t));
    PyObject *topics = PyList_New(count), *literals = PyList_New(count);
    int64_t *row = rows ? (int64_t *)PyByteArray_AsString(rows) : NULL;
    int failed = !rows || !topics || !literals;
    for (Py_ssize_t k = 0; k < count && !failed; k++, head++) {
        row[k] = head->row;
        PyObject *topic = bytes_of(head->topic, head->topic_end);
        PyObject *literal = bytes_of(head->literal, head->literal_end);
        failed = !topic || !literal;
        if (topic) PyList_SetItem(topics, k, topic);
        if (literal) PyList_SetItem(literals, k, literal);
    }
    PyObject *all = failed ? NULL : PyTuple_Pack(3, rows, topics, literals);
    Py_XDECREF(rows), Py_XDECREF(topics), Py_XDECREF(literals);
    return all;
}

/* Scores of the rows that float() has to read. Returns REGULAR, or IRREGULAR where one is not finite
   or too small for a double: the Python reader says so. */
static int read_hard(List hard, Columns columns) {
    const size_t *row = hard.items;
    for (size_t k = 0; k < hard.count; k++, row++) {
        char number[SCORE_BYTES + 1];
        Text at = columns.docs[*row] + columns.doc_bytes[*row];
        at = after_blanks(end_of_field(after_blanks(at))); /* past the rank */
        size_t bytes = (size_t)(end_of_field(at) - at);
        memcpy(number, at, bytes);
        number[bytes] = 0;
        double value = PyOS_string_to_double(number, NULL, NULL);
        if (PyErr_Occurred()) PyErr_Clear(), value = 0;
        if (value == 0 || value - value != 0) return IRREGULAR;
        columns.scores[*row] = value;
    }
    return REGULAR;
}

static PyObject *columns_for_python(Found found, PyObject *ids, size_t words, PyObject *numbers,
                                    PyObject *scores) {
    PyObject *heads = heads_for_python(found.heads);
    if (!heads) return NULL;
    PyObject *all = Py_BuildValue(
        "OOOy#OnOOn", PyTuple_GetItem(heads, 0), PyTuple_GetItem(heads, 1),
        PyTuple_GetItem(heads, 2), found.tag ? (const char *)found.tag : "", (Py_ssize_t)found.tag_bytes, ids,
        (Py_ssize_t)words, numbers, scores, (Py_ssize_t)found.carriage_returns);
    Py_DECREF(heads);
    return all;
}

static PyObject *scan(PyObject *text, int has_scores) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(text, &buffer, PyBUF_SIMPLE) < 0) return NULL;
    Text begin = buffer.buf, end = begin + buffer.len;
    Found found = {.heads.size = sizeof(Head), .hard.size = sizeof(size_t), .tag_bytes = 0};
    unsigned char *tail = NULL;
    PyObject *docs = NULL, *doc_bytes = NULL, *numbers = NULL, *scores = NULL, *ids = NULL;
    PyObject *result = NULL;
    if (begin == end || end[-1] != '\n') {
        PyErr_SetString(PyExc_ValueError, "the scanner needs whole lines");
        goto done;
    }
    size_t room = (size_t)(end - begin) / SHORTEST_LINE + 1;
    tail = malloc(TAIL_BYTES);
    docs = array_of(room * sizeof(Text));
    doc_bytes = array_of(room * sizeof(uint16_t));
    numbers = array_of(room * sizeof(int32_t));
    scores = array_of(has_scores ? room * sizeof(double) : 0);
    if (!tail) PyErr_NoMemory();
    if (!tail || !docs || !doc_bytes || !numbers || !scores) goto done;
    Columns columns = {(Text *)PyByteArray_AsString(docs),
                       (uint16_t *)PyByteArray_AsString(doc_bytes),
                       (int32_t *)PyByteArray_AsString(numbers),
                       has_scores ? (double *)PyByteArray_AsString(scores) : NULL};
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = scan_all(begin, end, tail, columns, &found);
    Py_END_ALLOW_THREADS
    if (status == REGULAR) status = read_hard(found.hard, columns);
    if (status == NO_MEMORY) PyErr_NoMemory();
    if (status == IRREGULAR) result = Py_NewRef(Py_None);
    if (status != REGULAR) goto done;
    size_t rows = found.rows, words = (found.longest_doc + WORD - 1) / WORD;
    ids = array_of(rows * words * WORD);
    if (!ids || PyByteArray_Resize(numbers, (Py_ssize_t)(rows * sizeof(int32_t))) < 0 ||
        (has_scores && PyByteArray_Resize(scores, (Py_ssize_t)(rows * sizeof(double))) < 0))
        goto done;
    uint64_t *id = (uint64_t *)PyByteArray_AsString(ids);
    Py_BEGIN_ALLOW_THREADS
    copy_ids(columns, rows, words, id);
    Py_END_ALLOW_THREADS
    result = columns_for_python(found, ids, words, numbers, scores);
done:
    free(found.heads.items), free(found.hard.items), free(tail);
    Py_XDECREF(docs), Py_XDECREF(doc_bytes), Py_XDECREF(numbers), Py_XDECREF(scores);
    Py_XDECREF(ids);
    PyBuffer_Release(&buffer);
    return result;
}

PyDoc_STRVAR(scan_run_doc,
"scan_run(text, /)\n--\n\n"
"The columns of the lines of a run, or None if a line is irregular.\n\n"
"(heads, topics, literals, tag, ids, words, ranks, scores, carriage_returns): `heads` are the rows\n"
"(int64) that begin a stretch of lines with the same first two fields, `topics` and `literals` those\n"
"fields; `ids` are the document ids in `words` words of eight bytes each, padded with NUL; `ranks`\n"
"are int32 and `scores` float64.");

static PyObject *scan_run(PyObject *module, PyObject *text) { return scan(text, 1); }

PyDoc_STRVAR(scan_qrels_doc,
"scan_qrels(text, /)\n--\n\n"
"The same for the lines of qrels: `literals` are the iterations, grades stand for ranks, and there\n"
"are neither tag nor scores.");

static PyObject *scan_qrels(PyObject *module, PyObject *text) { return scan(text, 0); }

PyDoc_STRVAR(repeated_rows_doc,
"repeated_rows(topics, ids, words, /)\n--\n\n"
"Pairs of rows (int64): one that names a document of its topic again, and the one that named it\n"
"first; by the first of the pair. None if the ids were made to collide, or if more than two million\n"
"rows have one topic or topics that are not contiguous. `topics` are int32, `ids`\n"
"`words` words of eight bytes each.");

static PyObject *repeated_rows(PyObject *module, PyObject *args) {
    Py_buffer topics, ids;
    Py_ssize_t words;
    if (!PyArg_ParseTuple(args, "y*y*n:repeated_rows", &topics, &ids, &words)) return NULL;
    PyObject *result = NULL;
    size_t rows = (size_t)topics.len / sizeof(int32_t);
    List pairs = {.size = 2 * sizeof(int64_t)};
    if (words < 1 || (size_t)ids.len != rows * (size_t)words * WORD || rows >= UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "repeated_rows needs one id for each topic");
    } else {
        Named all = {topics.buf, ids.buf, rows, (size_t)words};
        int status;
        Py_BEGIN_ALLOW_THREADS
        status = find_repeated(all, &pairs);
        Py_END_ALLOW_THREADS
        if (status == FOUND) result = array_from(pairs);
        if (status == TOO_MUCH) result = Py_NewRef(Py_None);
        if (status == NO_MEMORY) PyErr_NoMemory();
    }
    free(pairs.items);
    PyBuffer_Release(&topics), PyBuffer_Release(&ids);
    return result;
}

PyDoc_STRVAR(order_doc,
"order(topics, ranks, scores, /)\n--\n\n"
"(against, first_against, tied) for rows that stand in the order of topics (int32) and scores\n"
"(float64): how many ranks (int32) contradict the scores, the first such row, and how many rows\n"
"share their score with another of their topic. None for rows in another order.");

static PyObject *order(PyObject *module, PyObject *args) {
    Py_buffer topics, ranks, scores;
    if (!PyArg_ParseTuple(args, "y*y*y*:order", &topics, &ranks, &scores)) return NULL;
    PyObject *result = NULL;
    size_t rows = (size_t)topics.len / sizeof(int32_t);
    Ranked run = {topics.buf, ranks.buf, scores.buf, rows};
    Order found = {0, 0, 0};
    if ((size_t)ranks.len != rows * sizeof(int32_t) || (size_t)scores.len != rows * sizeof(double)) {
        PyErr_SetString(PyExc_ValueError, "order needs one rank and one score for each topic");
    } else {
        int in_order;
        Py_BEGIN_ALLOW_THREADS
        in_order = look_at_order(run, &found);
        Py_END_ALLOW_THREADS
        result = in_order ? Py_BuildValue("LLL", (long long)found.against,
                                          (long long)found.first_against, (long long)found.tied)
                          : Py_NewRef(Py_None);
    }
    PyBuffer_Release(&topics), PyBuffer_Release(&ranks), PyBuffer_Release(&scores);
    return result;
}

static PyMethodDef methods[] = {
    {"scan_qrels", scan_qrels, METH_O, scan_qrels_doc},
    {"scan_run", scan_run, METH_O, scan_run_doc},
    {"order", order, METH_VARARGS, order_doc},
    {"repeated_rows", repeated_rows, METH_VARARGS, repeated_rows_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_scan",
    .m_doc = "The columns of runs, read by a compiled scanner.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__scan(void) { return PyModuleDef_Init(&module); }
