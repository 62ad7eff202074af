/* Aligns the lines of a run with the judgments: what direct_alignment.py and judgments.py do with
   numpy, in one pass over the lines. The results are the same; Python does it where this was not
   compiled. Nothing is stored between two calls, and the GIL is released while lines are aligned. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "only for little-endian machines; the Python code runs anywhere"
#endif

#define WORD 8
#define UNJUDGED (-1) /* as in grades.py, also */
#define PAST_END (-128)
#define AHEAD 8       /* judgments that are fetched while others are compared */

/* --- one judgment ---------------------------------------------------------------------------------- */

typedef struct {
    const int64_t *first_slots;
    const uint64_t *shifts;
    const uint8_t *in_use; /* 8 bits of each slot: which eighths of it have a judgment */
    const int32_t *slots, *next_in_slot;
    const uint64_t *ids; /* `words` of each judgment */
    size_t words;
    const int8_t *codes; /* what stands for each judgment in a matrix */
} Table;

/* As hash_doc_ids in ranking.py. */
static inline uint64_t hash_of(const uint64_t *id, size_t words) {
    uint64_t hash = 0;
    for (size_t k = 0; k < words; k++) hash += id[k] * (0x9E3779B97F4A7C15u * (2 * k + 1));
    return hash;
}

/* Ids are padded with NUL to words of eight bytes: the words that only one has must be empty. */
static inline int is_same(const uint64_t *a, size_t a_words, const uint64_t *b, size_t b_words) {
    size_t k = 0;
    for (; k < a_words && k < b_words; k++)
        if (a[k] != b[k]) return 0;
    for (size_t i = k; i < a_words; i++)
        if (a[i]) return 0;
    for (; k < b_words; k++)
        if (b[k]) return 0;
    return 1;
}

/* The slot of a hash for the topic in this row of the table, and which eighth of the slot. */
static inline uint64_t eighth_of(const Table *table, size_t row, uint64_t hash) {
    return ((uint64_t)table->first_slots[row] << 3) + (hash >> (table->shifts[row] - 3));
}

/* The document's own judgment among those that share a slot, or -1. */
static inline int32_t same_in_slot(const Table *table, int32_t place, const uint64_t *id,
                                   size_t words) {
    while (place >= 0 && !is_same(table->ids + (size_t)place * table->words, table->words, id, words))
        place = table->next_in_slot[place];
    return place;
}

/* --- a run ------------------------------------------------------------------------------------------ */

typedef struct {
    const int32_t *topics; /* of each line, in ascending order */
    const uint64_t *ids;
    const double *scores; /* in descending order within a topic */
    size_t lines, words;
} Run;

typedef struct {
    int8_t *grades;
    uint8_t *begins;
    size_t depth;
} Matrices;

static int is_in_order(Run run) {
    int out_of_order = 0;
    for (size_t line = 1; line < run.lines; line++) {
        int same = run.topics[line] == run.topics[line - 1];
        out_of_order |= run.topics[line] < run.topics[line - 1];
        out_of_order |= same & !(run.scores[line] <= run.scores[line - 1]);
    }
    return !out_of_order;
}

static size_t end_of_topic(Run run, size_t first) {
    size_t end = first + 1;
    while (end < run.lines && run.topics[end] == run.topics[first]) end++;
    return end;
}

static size_t longest_topic(Run run) {
    size_t longest = 0;
    for (size_t first = 0, end; first < run.lines; first = end) {
        end = end_of_topic(run, first);
        if (end - first > longest) longest = end - first;
    }
    return longest;
}

/* A document of a tied group, and its code. */
typedef struct {
    const uint64_t *id;
    int8_t code;
} Tied;

/* Whether the id of `a` comes before that of `b`: ties stand in descending order of their bytes. */
static inline int is_before(Tied a, Tied b, size_t words) {
    for (size_t k = 0; k < words; k++)
        if (a.id[k] != b.id[k]) return __builtin_bswap64(a.id[k]) > __builtin_bswap64(b.id[k]);
    return 0;
}

static void sift(Tied *group, size_t root, size_t size, size_t words) {
    for (size_t child; (child = 2 * root + 1) < size; root = child) {
        if (child + 1 < size && is_before(group[child], group[child + 1], words)) child++;
        if (!is_before(group[root], group[child], words)) return;
        Tied other = group[root];
        group[root] = group[child], group[child] = other;
    }
}

/* Heapsort: ties can be many, and can have been made so that another order takes forever. */
static void sort_ties(Tied *group, size_t size, size_t words) {
    for (size_t root = size / 2; root-- > 0;) sift(group, root, size, words);
    for (size_t end = size; end-- > 1;) {
        Tied first = group[0];
        group[0] = group[end], group[end] = first;
        sift(group, 0, end, words);
    }
}

/* Puts the codes of the lines in [first, end), which all have one score, into the order of their
   ids. Documents with the same code may stand in any order. */
static void order_ties(Run run, size_t first, size_t end, int8_t *codes, Tied *scratch) {
    size_t size = end - first, same = 1;
    while (same < size && codes[same] == codes[0]) same++;
    if (same == size) return;
    for (size_t k = 0; k < size; k++)
        scratch[k] = (Tied){run.ids + (first + k) * run.words, codes[k]};
    sort_ties(scratch, size, run.words);
    for (size_t k = 0; k < size; k++) codes[k] = scratch[k].code;
}

/* What a topic of the run needs while it is aligned; one entry a line. */
typedef struct {
    int8_t *codes;
    uint32_t *likely; /* lines that most likely are judged */
    int32_t *places;  /* a judgment in the slot of each of those */
    Tied *tied;
} Scratch;

/* What the judges say of the lines [first, end). Most lines are not judged, which a look at a few
   bits shows; looks that do not wait for each other are far quicker than one line after the other. */
static void look_up(Run run, const Table *table, size_t row, size_t first, size_t end, Scratch use) {
    const uint64_t *ids = run.ids + first * run.words;
    size_t count = 0;
    const uint8_t *in_use = table->in_use + table->first_slots[row];
    const uint8_t *in_use_end = table->in_use + table->first_slots[row + 1];
    for (; in_use < in_use_end; in_use += 64) __builtin_prefetch(in_use);
    for (size_t k = 0; k < end - first; k++) {
        uint64_t eighth = eighth_of(table, row, hash_of(ids + k * run.words, run.words));
        use.codes[k] = UNJUDGED;
        use.likely[count] = (uint32_t)k;
        use.places[count] = (int32_t)(eighth >> 3);
        count += table->in_use[eighth >> 3] >> (eighth & 7) & 1;
    }
    for (size_t k = 0; k < count; k++) use.places[k] = table->slots[use.places[k]];
    for (size_t k = 0; k < count; k++) {
        if (k + AHEAD < count)
            __builtin_prefetch(table->ids + (size_t)use.places[k + AHEAD] * table->words);
        const uint64_t *id = ids + use.likely[k] * run.words;
        int32_t place = same_in_slot(table, use.places[k], id, run.words);
        if (place >= 0) use.codes[use.likely[k]] = table->codes[place];
    }
}

static size_t end_of_group(const double *scores, size_t first, size_t lines) {
    size_t end = first + 1;
    while (end < lines && scores[end] == scores[first]) end++;
    return end;
}

/* Aligns the lines of one topic, [first, end), with a row of the table. */
static void align_topic(Run run, const Table *table, size_t row, size_t first, size_t end,
                        Matrices into, Scratch use) {
    const double *scores = run.scores + first;
    uint8_t *begins = into.begins + row * into.depth;
    size_t lines = end - first, shown = lines < into.depth ? lines : into.depth;
    look_up(run, table, row, first, end, use);
    for (size_t line = 1; line < shown; line++) begins[line] = scores[line] != scores[line - 1];
    for (size_t group = 0; group < shown; group = end_of_group(scores, group, lines)) {
        /* The next group of more than one is where a line begins none; the last can end past `shown`. */
        const uint8_t *second = memchr(begins + group, 0, shown - group);
        group = (second ? (size_t)(second - begins) : shown) - 1;
        size_t after = end_of_group(scores, group, lines);
        if (after > group + 1)
            order_ties(run, first + group, first + after, use.codes + group, use.tied);
    }
    memcpy(into.grades + row * into.depth, use.codes, shown);
}

/* Returns 0 where there is not enough memory. */
static int align_run(Run run, const Table *table, const int32_t *row_of_topic, size_t longest,
                     Matrices into) {
    size_t room = longest + 1; /* one more is written to than is used */
    Scratch use = {malloc(room), malloc(room * sizeof(uint32_t)), malloc(room * sizeof(int32_t)),
                   malloc(room * sizeof(Tied))};
    int done = use.codes && use.likely && use.places && use.tied;
    for (size_t first = 0, end; done && first < run.lines; first = end) {
        end = end_of_topic(run, first);
        int32_t row = row_of_topic[run.topics[first]];
        if (row >= 0) align_topic(run, table, (size_t)row, first, end, into, use);
    }
    free(use.codes), free(use.likely), free(use.places), free(use.tied);
    return done;
}

/* --- for Python ---------------------------------------------------------------------------------- */

#define MOST_BUFFERS 16

/* The arrays that a call was given. */
typedef struct {
    Py_buffer of[MOST_BUFFERS];
    int count;
} Buffers;

static void release(Buffers *buffers) {
    while (buffers->count) PyBuffer_Release(&buffers->of[--buffers->count]);
}

/* Takes the first `count` arguments; the last `writable` of them are written to. Returns 0 on error. */
static int take(Buffers *buffers, PyObject *args, int count, int writable) {
    if (PyTuple_Size(args) < count) {
        PyErr_Format(PyExc_TypeError, "expected %d arrays", count);
        return 0;
    }
    for (; buffers->count < count; buffers->count++) {
        int flags = buffers->count < count - writable ? PyBUF_SIMPLE : PyBUF_WRITABLE;
        PyObject *array = PyTuple_GetItem(args, buffers->count);
        if (PyObject_GetBuffer(array, &buffers->of[buffers->count], flags) < 0) {
            release(buffers);
            return 0;
        }
    }
    return 1;
}

static size_t items(const Buffers *buffers, int number, size_t size) {
    return (size_t)buffers->of[number].len / size;
}

enum { FIRST_SLOTS, SHIFTS, IN_USE, SLOTS, NEXT_IN_SLOT, TABLE_IDS, CODES, TABLE_ARRAYS };

/* The table in the first buffers; returns 0 if its arrays do not fit together. */
static int table_in(const Buffers *buffers, Table *table) {
    size_t judgments = items(buffers, NEXT_IN_SLOT, sizeof(int32_t));
    *table = (Table){buffers->of[FIRST_SLOTS].buf,
                     buffers->of[SHIFTS].buf,
                     buffers->of[IN_USE].buf,
                     buffers->of[SLOTS].buf,
                     buffers->of[NEXT_IN_SLOT].buf,
                     buffers->of[TABLE_IDS].buf,
                     judgments ? items(buffers, TABLE_IDS, WORD) / judgments : 1,
                     buffers->of[CODES].buf};
    return table->words > 0 && items(buffers, CODES, 1) >= judgments &&
           items(buffers, TABLE_IDS, WORD) == judgments * table->words &&
           items(buffers, IN_USE, 1) == items(buffers, SLOTS, sizeof(int32_t)) &&
           items(buffers, SHIFTS, 8) == items(buffers, FIRST_SLOTS, 8);
}

PyDoc_STRVAR(find_doc,
"find(first_slots, shifts, in_use, slots, next_in_slot, table_ids, codes, rows, hashes, ids, places, /)\n"
"--\n\n"
"Put the judgment of each document into places (int32), or -1. `rows` (int32) and `hashes` (uint64)\n"
"have one entry for each document, `ids` some words of eight bytes.");

static PyObject *find(PyObject *module, PyObject *args) {
    enum { ROWS = TABLE_ARRAYS, HASHES, IDS, PLACES, ALL };
    Buffers given = {.count = 0};
    if (!take(&given, args, ALL, 1)) return NULL;
    Table table;
    size_t count = items(&given, ROWS, sizeof(int32_t)), topics = items(&given, SHIFTS, 8);
    size_t words = count ? items(&given, IDS, WORD) / count : 1;
    const int32_t *rows = given.of[ROWS].buf;
    const uint64_t *hashes = given.of[HASHES].buf, *ids = given.of[IDS].buf;
    int32_t *places = given.of[PLACES].buf;
    int fits = table_in(&given, &table) && items(&given, HASHES, 8) == count && topics && words &&
               items(&given, IDS, WORD) == count * words && items(&given, PLACES, 4) == count;
    Py_BEGIN_ALLOW_THREADS
    for (size_t k = 0; fits && k < count; k++) {
        if (rows[k] < 0) places[k] = -1;
        else if ((size_t)rows[k] >= topics) fits = 0;
        else {
            uint64_t eighth = eighth_of(&table, (size_t)rows[k], hashes[k]);
            places[k] = same_in_slot(&table, table.slots[eighth >> 3], ids + k * words, words);
        }
    }
    Py_END_ALLOW_THREADS
    release(&given);
    if (!fits) return PyErr_Format(PyExc_ValueError, "the arrays do not fit together");
    return Py_NewRef(Py_None);
}

PyDoc_STRVAR(align_doc,
"align(first_slots, shifts, in_use, slots, next_in_slot, table_ids, codes, row_of_topic, topics,\n"
"      scores, ids, max_depth, /)\n--\n\n"
"(grades, begins, depth): two matrices of as many rows as the table has topics and `depth` columns,\n"
"the lines of the longest topic but at most `max_depth`: the code of each line (int8), and whether\n"
"a group of equal scores begins there (bool). None if the lines do not stand in ascending order of\n"
"their topics (int32) and in descending order of their scores (float64). `row_of_topic` (int32) is\n"
"-1 for topics that the table lacks.");

static PyObject *align(PyObject *module, PyObject *args) {
    enum { ROW_OF_TOPIC = TABLE_ARRAYS, TOPICS, SCORES, IDS, ALL };
    Py_ssize_t given_args = PyTuple_Size(args);
    if (given_args != ALL + 1) return PyErr_Format(PyExc_TypeError, "expected %d arguments", ALL + 1);
    long max_depth = PyLong_AsLong(PyTuple_GetItem(args, ALL));
    if (max_depth < 1)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "max_depth is below 1");
    Buffers given = {.count = 0};
    if (!take(&given, args, ALL, 0)) return NULL;
    PyObject *grades = NULL, *begins = NULL, *result = NULL;
    Table table;
    size_t lines = items(&given, TOPICS, sizeof(int32_t));
    size_t words = lines ? items(&given, IDS, WORD) / lines : 1;
    Run run = {given.of[TOPICS].buf, given.of[IDS].buf, given.of[SCORES].buf, lines, words};
    const int32_t *row_of_topic = given.of[ROW_OF_TOPIC].buf;
    size_t topics = items(&given, ROW_OF_TOPIC, sizeof(int32_t));
    size_t rows = items(&given, SHIFTS, 8); /* one more than topics: that of unknown ones */
    int fits = table_in(&given, &table) && items(&given, SCORES, 8) == lines &&
               items(&given, IDS, WORD) == lines * words && words > 0 && rows-- > 0;
    for (size_t topic = 0; fits && topic < topics; topic++)
        fits = row_of_topic[topic] < (int32_t)rows;
    if (fits && !is_in_order(run)) {
        result = Py_NewRef(Py_None);
        goto done;
    }
    if (!fits || (lines && (run.topics[0] < 0 || (size_t)run.topics[lines - 1] >= topics))) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit together");
        goto done;
    }
    size_t longest = longest_topic(run), depth = longest < (size_t)max_depth ? longest : (size_t)max_depth;
    if (!depth) depth = 1;
    grades = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(rows * depth));
    begins = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(rows * depth));
    if (!grades || !begins) goto done;
    Matrices into = {(int8_t *)PyByteArray_AsString(grades), (uint8_t *)PyByteArray_AsString(begins), depth};
    int is_done;
    Py_BEGIN_ALLOW_THREADS
    memset(into.grades, (unsigned char)PAST_END, rows * depth);
    memset(into.begins, 1, rows * depth);
    is_done = align_run(run, &table, row_of_topic, longest, into);
    Py_END_ALLOW_THREADS
    result = is_done ? Py_BuildValue("OOn", grades, begins, (Py_ssize_t)depth) : PyErr_NoMemory();
done:
    release(&given);
    Py_XDECREF(grades), Py_XDECREF(begins);
    return result;
}

static PyMethodDef methods[] = {
    {"find", find, METH_VARARGS, find_doc},
    {"align", align, METH_VARARGS, align_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {{0, NULL}};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_align",
    .m_doc = "Aligns the lines of a run with the judgments.",
    .m_methods = methods,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__align(void) { return PyModuleDef_Init(&module); }
