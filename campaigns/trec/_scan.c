/* Reads the lines of runs and qrels as most programs write them:

       topic Q0 document rank score tag
       topic iteration document grade

   with spaces or tabs between the fields, LF or CR LF at the end, printable ASCII only, and one tag
   throughout. `scan_run` and `scan_qrels` return the columns of such lines, and None for anything
   else: the Python reader (fields.py) then reads the same lines, and it alone knows what is wrong
   and what to warn of. Wherever both read a line, the columns are the same bit for bit.

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
#define RANK_DIGITS 8         /* as in fields.py */
#define SCORE_BYTES 40
#define WORD 8
#define COPY_BYTES (LINE_BYTES + 2 * WORD)

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
    if (!end || (*digits == '0' && end - digits > 1)) return NULL;
    return *grade <= MAX_GRADE && *grade >= -MAX_GRADE ? end : NULL;
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

/* One entry for each line. */
typedef struct {
    uint64_t *ids;    /* of documents: `words` words of eight bytes, padded with NUL */
    int32_t *numbers; /* ranks or grades */
    double *scores;   /* NULL for qrels */
    size_t words, room;
} Columns;

/* A line whose topic or second field are not those of the line before. */
typedef struct {
    Text topic, topic_end, literal, literal_end;
    int64_t row;
} Head;

/* A score that float() has to read. */
typedef struct {
    Text at, end;
    size_t row;
} Hard;

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
    List heads, hard; /* of Head, of Hard */
} Lists;

/* Where the scanner is, and what it expects of the next line. */
typedef struct {
    Text at;
    size_t rows, words; /* of the longest document id */
    Text head;          /* of the last line, with the blanks behind it */
    size_t head_bytes;
    Text tag;
    size_t tag_bytes;
    size_t carriage_returns;
    int is_in_copy; /* of the last lines */
} State;

/* FULL for the next line, or for its document; FAILED: Python knows why. */
enum { REGULAR, IRREGULAR, NO_MEMORY, FULL, FAILED };

/* Scans topic and second field of a line into a new head; NULL if they are irregular. */
static Text scan_head(Text at, Head *head) {
    if (*at == '#') return NULL; /* a comment */
    Text end = end_of_field(at);
    head->topic = at, head->topic_end = end;
    if (end == at || !(at = after_blanks(end))) return NULL;
    end = end_of_field(at);
    head->literal = at, head->literal_end = end;
    return end == at ? NULL : after_blanks(end);
}

/* Passes topic and second field. */
static inline int pass_head(State *now, Text end, List *heads) {
    Text line = now->at, doc = line + now->head_bytes;
    int is_like_last = now->head_bytes && (size_t)(end - line) > now->head_bytes &&
                       is_equal(line, now->head, now->head_bytes) && *doc > ' ';
    if (!is_like_last) {
        Head *head = pushed(heads);
        if (!head) return NO_MEMORY;
        head->row = (int64_t)now->rows;
        doc = scan_head(line, head);
        if (!doc) return IRREGULAR;
        now->head = line;
        now->head_bytes = (size_t)(doc - line);
    }
    now->at = doc;
    return REGULAR;
}

/* Scans a document into `id`, which has room for so many words, and passes the blanks behind it. */
static inline int scan_document(State *now, uint64_t *id, size_t room) {
    Text at = now->at;
    size_t words = 0;
    uint64_t word, marks;
    while (!(marks = not_printable(word = word_at(at)))) {
        if (words == DOC_BYTES / WORD) return IRREGULAR;
        if (words < room) id[words] = word;
        at += WORD, words++;
    }
    uint64_t first = marks & -marks; /* the high bit of the first byte behind the document */
    word &= (first >> 7) - 1;
    if (words < room) id[words] = word;
    words += word != 0;
    if (words > now->words) now->words = words;
    if (words > DOC_BYTES / WORD) return IRREGULAR;
    if (words > room) return FULL;
    for (size_t k = words + !word; k < room; k++) id[k] = 0;
    at += __builtin_ctzll(first) >> 3;
    if (!words || (at = after_blanks(at)) == NULL) return IRREGULAR;
    now->at = at;
    return REGULAR;
}

static inline int pass_tag(State *now, Text end) {
    if (!now->tag) {
        now->tag = now->at;
        now->tag_bytes = (size_t)(end_of_field(now->at) - now->at);
        if (!now->tag_bytes) return IRREGULAR;
    } else if ((size_t)(end - now->at) < now->tag_bytes ||
               !is_equal(now->at, now->tag, now->tag_bytes)) {
        return IRREGULAR;
    }
    now->at += now->tag_bytes;
    return REGULAR;
}

/* Scans rank, score and tag. */
static inline int scan_result(State *now, Text end, Columns into, List *hard) {
    Text at = scan_rank(now->at, &into.numbers[now->rows]);
    at = at ? after_blanks(at) : NULL;
    if (!at) return IRREGULAR;
    Text score = at;
    int how = scan_score(at, &at, &into.scores[now->rows]);
    if (how == BAD) return IRREGULAR;
    if (how == HARD) {
        Hard *next = pushed(hard);
        if (!next) return NO_MEMORY;
        *next = (Hard){score, at, now->rows};
    }
    now->at = after_blanks(at);
    return now->at ? pass_tag(now, end) : IRREGULAR;
}

static inline int scan_judgment(State *now, Columns into) {
    now->at = scan_grade(now->at, &into.numbers[now->rows]);
    return now->at ? REGULAR : IRREGULAR;
}

/* Passes the end of the line. */
static inline int pass_end(State *now) {
    Text at = now->at;
    while (is_blank(*at)) at++;
    if (*at == '\r') {
        now->carriage_returns++;
        at++;
    }
    now->at = at + 1;
    return *at == '\n' ? REGULAR : IRREGULAR;
}

/* Scans lines up to `end`, or up to one that there is no room for. */
static int scan_lines(State *scan, Text end, Columns into, Lists *lists) {
    int status = REGULAR;
    State now = *scan; /* in registers */
    uint64_t *id = into.ids + now.rows * into.words;
    for (; status == REGULAR && now.at < end; id += into.words) {
        Text line = now.at;
        status = now.rows < into.room ? pass_head(&now, end, &lists->heads) : FULL;
        if (status == REGULAR) status = scan_document(&now, id, into.words);
        if (status == FULL) now.at = line;
        if (status == REGULAR)
            status = into.scores ? scan_result(&now, end, into, &lists->hard)
                                 : scan_judgment(&now, into);
        if (status == REGULAR) status = pass_end(&now);
        if (status == REGULAR && now.at - line > LINE_BYTES) status = IRREGULAR;
        now.rows += status == REGULAR;
    }
    *scan = now;
    return status;
}

/* Whole lines: those that end less than eight bytes before the end are in a copy. */
typedef struct {
    Text last; /* where those begin that are in the copy */
    unsigned char *copy;
    size_t copy_bytes;
} Lines;

/* Returns 0 where they do not fit into `copy`. */
static int copy_last(Text begin, Text end, unsigned char *copy, Lines *lines) {
    Text last = end - begin > WORD ? end - WORD : begin;
    while (last > begin && last[-1] != '\n') last--;
    size_t bytes = (size_t)(end - last);
    *lines = (Lines){last, copy, bytes};
    if (bytes > COPY_BYTES - WORD) return 0;
    memcpy(copy, last, bytes);
    memset(copy + bytes, 0, WORD);
    return 1;
}

static int scan_all(State *scan, Lines lines, Columns into, Lists *lists) {
    if (!scan->is_in_copy) {
        int status = scan_lines(scan, lines.last, into, lists);
        if (status != REGULAR) return status;
        scan->is_in_copy = 1;
        scan->at = lines.copy;
    }
    return scan_lines(scan, lines.copy + lines.copy_bytes, into, lists);
}

/* Gives each id more words, which are empty; the last one first, so that none is written over
   before it is read. */
static void widen(uint64_t *ids, size_t rows, size_t from, size_t to) {
    for (size_t row = rows; row-- > 0;) {
        memmove(ids + row * to, ids + row * from, from * WORD);
        memset(ids + row * to + from, 0, (to - from) * WORD);
    }
}

static void narrow(uint64_t *ids, size_t rows, size_t from, size_t to) {
    for (size_t row = 0; row < rows; row++) memmove(ids + row * to, ids + row * from, to * WORD);
}

/* --- documents named twice in a topic ------------------------------------------------------------ */

#define GOLDEN 0x9E3779B97F4A7C15u
#define SLOTS_A_ROW 8 /* rarely do two rows meet, which is foreseen wrong */
#define MOST_ROWS (1 << 20) /* of a part: their slots take 64 MiB */
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

/* Scores that float() has to read. Returns REGULAR, or IRREGULAR where one is not finite or too small
   for a double: the Python reader says so. */
static int read_hard(List hard, double *scores) {
    const Hard *next = hard.items;
    for (size_t k = 0; k < hard.count; k++, next++) {
        char number[SCORE_BYTES + 1];
        size_t bytes = (size_t)(next->end - next->at);
        memcpy(number, next->at, bytes);
        number[bytes] = 0;
        double value = PyOS_string_to_double(number, NULL, NULL);
        if (PyErr_Occurred()) PyErr_Clear(), value = 0;
        if (value == 0 || value - value != 0) return IRREGULAR;
        scores[next->row] = value;
    }
    return REGULAR;
}

/* The columns as Python gets them. */
typedef struct {
    PyObject *ids, *numbers, *scores;
    size_t words, room;
    int has_scores;
} Arrays;

static int make_arrays(Arrays *arrays) {
    arrays->ids = array_of(0), arrays->numbers = array_of(0), arrays->scores = array_of(0);
    return arrays->ids && arrays->numbers && arrays->scores;
}

/* Returns 0 where there is not enough memory. */
static int resize(Arrays *arrays, size_t words, size_t rows) {
    size_t scores = arrays->has_scores ? rows * sizeof(double) : 0;
    arrays->words = words, arrays->room = rows;
    return PyByteArray_Resize(arrays->ids, (Py_ssize_t)(rows * words * WORD)) == 0 &&
           PyByteArray_Resize(arrays->numbers, (Py_ssize_t)(rows * sizeof(int32_t))) == 0 &&
           PyByteArray_Resize(arrays->scores, (Py_ssize_t)scores) == 0;
}

static Columns columns_in(const Arrays *arrays) {
    return (Columns){(uint64_t *)PyByteArray_AsString(arrays->ids),
                     (int32_t *)PyByteArray_AsString(arrays->numbers),
                     arrays->has_scores ? (double *)PyByteArray_AsString(arrays->scores) : NULL,
                     arrays->words, arrays->room};
}

/* As many rows as there are if most lines are as long as the first one, and some more. */
static size_t rows_expected(Text begin, Text end) {
    size_t bytes = (size_t)(end - begin);
    size_t first = (size_t)((Text)memchr(begin, '\n', bytes) - begin) + 1;
    return bytes / first + bytes / (8 * first) + 16;
}

/* For the next line: twice the words, or twice the rows. */
static int make_room(Arrays *arrays, const State *scan) {
    size_t from = arrays->words;
    if (scan->words <= from) return resize(arrays, from, 2 * arrays->room);
    size_t words = scan->words > 2 * from ? scan->words : 2 * from;
    if (!resize(arrays, words, arrays->room)) return 0;
    widen(columns_in(arrays).ids, scan->rows, from, words);
    return 1;
}

/* Leaves the rows that there are, and the words of the longest document. */
static int cut(Arrays *arrays, const State *scan) {
    if (scan->words < arrays->words)
        narrow(columns_in(arrays).ids, scan->rows, arrays->words, scan->words);
    return resize(arrays, scan->words, scan->rows);
}

/* Scans all lines into the arrays; the GIL is released meanwhile. */
static int fill(Arrays *arrays, State *scan, Lines lines, Lists *lists) {
    int status = FULL;
    while (status == FULL) {
        Columns into = columns_in(arrays);
        Py_BEGIN_ALLOW_THREADS
        status = scan_all(scan, lines, into, lists);
        Py_END_ALLOW_THREADS
        if (status == FULL && !make_room(arrays, scan)) status = FAILED;
    }
    if (status == REGULAR) status = read_hard(lists->hard, columns_in(arrays).scores);
    if (status == REGULAR && !cut(arrays, scan)) status = FAILED;
    return status;
}

static PyObject *columns_for_python(const State *scan, List heads, Arrays arrays) {
    PyObject *found = heads_for_python(heads);
    if (!found) return NULL;
    /* Not as y#: built with Python 3.13, that form is refused by 3.11 and 3.12. */
    PyObject *tag = PyBytes_FromStringAndSize((const char *)scan->tag, (Py_ssize_t)scan->tag_bytes);
    PyObject *all = !tag ? NULL : Py_BuildValue(
        "OOOOOnOOn", PyTuple_GetItem(found, 0), PyTuple_GetItem(found, 1),
        PyTuple_GetItem(found, 2), tag, arrays.ids, (Py_ssize_t)arrays.words, arrays.numbers,
        arrays.scores, (Py_ssize_t)scan->carriage_returns);
    Py_XDECREF(tag);
    Py_DECREF(found);
    return all;
}

static PyObject *scan(PyObject *text, int has_scores) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(text, &buffer, PyBUF_SIMPLE) < 0) return NULL;
    Text begin = buffer.buf, end = begin + buffer.len;
    State now = {.at = begin};
    Lists lists = {.heads.size = sizeof(Head), .hard.size = sizeof(Hard)};
    Arrays arrays = {.has_scores = has_scores};
    PyObject *result = NULL;
    Lines lines;
    unsigned char *copy = malloc(COPY_BYTES);
    if (!copy) {
        PyErr_NoMemory();
    } else if (begin == end || end[-1] != '\n') {
        PyErr_SetString(PyExc_ValueError, "the scanner needs whole lines");
    } else if (make_arrays(&arrays) && resize(&arrays, 1, rows_expected(begin, end))) {
        int status = IRREGULAR;
        if (copy_last(begin, end, copy, &lines)) status = fill(&arrays, &now, lines, &lists);
        if (status == REGULAR) result = columns_for_python(&now, lists.heads, arrays);
        if (status == IRREGULAR) result = Py_NewRef(Py_None);
        if (status == NO_MEMORY) PyErr_NoMemory();
    }
    free(lists.heads.items), free(lists.hard.items), free(copy);
    Py_XDECREF(arrays.ids), Py_XDECREF(arrays.numbers), Py_XDECREF(arrays.scores);
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
"first; by the first of the pair. None if the ids were made to collide, or if more than a million\n"
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
