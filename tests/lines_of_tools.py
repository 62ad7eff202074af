"""Lines of runs as public tools write them, with their own tags. A comment says where the lines, or
the code that writes them, are."""

LINES = {
    # apache/lucene, benchmark/quality/utils/SubmissionReport.java: padded, tabs, ranks from 0
    "Lucene": (
        b"301 \t Q0 \t FR940202-2-00150     \t 0       \t 8.0211 \t lucene\n"
        b"301 \t Q0 \t FR940920-2-00106     \t 1       \t 7.9800 \t lucene\n",
        "lucene",
    ),
    # castorini/pyserini, its guide to BM25 on MS MARCO passages prints them from a run of Anserini
    "Anserini": (
        b"1048585 Q0 7187158 1 18.811600 Anserini\n1048585 Q0 7187157 2 18.333401 Anserini\n"
        b"1048585 Q0 7187163 3 17.878799 Anserini\n1048585 Q0 7546327 4 16.962099 Anserini\n",
        "Anserini",
    ),
    # castorini/pyserini, pyserini/eval/convert_msmarco_run_to_trec_run.py: 1 / rank as the score
    "Pyserini": (
        b"1048585 Q0 7187158 1 1.0 anserini\n1048585 Q0 7187157 2 0.5 anserini\n"
        b"1048585 Q0 7187163 3 0.3333333333333333 anserini\n",
        "anserini",
    ),
    # terrier-org/terrier-core, TRECDocnoOutputFormat.java: ranks from 0, the model with parameters
    "Terrier": (
        b"1 Q0 8172 0 13.746087074279785 InL2c1.0\n1 Q0 9881 1 12.352665901184082 InL2c1.0\n",
        "InL2c1.0",
    ),
    # terrier-org/pyterrier, pyterrier/io.py: pandas writes the columns, ranks from 0
    "PyTerrier": (
        b"1 Q0 8172 0 13.746087158752578 pyterrier\n1 Q0 9881 1 12.352666319456976 pyterrier\n",
        "pyterrier",
    ),
    # lemur-project/indri, IndriRunQuery -trecFormat=true: logarithms of probabilities
    "Indri": (
        b"701 Q0 GX268-35-11839875 1 -4.83646 indri\n701 Q0 GX262-86-10646960 2 -4.84157 indri\n",
        "indri",
    ),
    # lemur-project/galago, ScoredDocument.toTRECformat: eight decimals, small ones with exponent
    "Galago": (
        b"1 Q0 WSJ870605-0094 1 -5.45863232 galago\n1 Q0 WSJ870901-0085 2 -1.20000000e-05 galago\n",
        "galago",
    ),
    # AmenRa/ranx, ranx/data_structures/run.py: no line end after the last line, None without a name
    "ranx": (b"q_1 Q0 d_12 1 0.9 None\nq_1 Q0 d_25 2 0.2 None", "None"),
    # texttron/tevatron, src/tevatron/utils/format/convert_result_to_trec.py
    "Tevatron": (
        b"2 Q0 4339068 1 78.45704650878906 dense\n2 Q0 1782337 2 77.9 dense\n",
        "dense",
    ),
    # usnistgov/trec_eval, test/results.comment.test: comments, tabs, padded scores, any order
    "trec_eval": (
        b"# This is my favorite run\n"
        b"301\tQ0\tFR940202-2-00150\t104\t  2.129133\tSTANDARD\n"
        b"# And has another comment here.\n"
        b"301\tQ0\tFR940202-2-00151\t414\t  1.724760\tSTANDARD\n",
        "STANDARD",
    ),
}

REFUSED = {
    # SubmissionReport.java formats scores for people: a comma for thousands
    "Lucene, from 1,000 on": (
        (b"301 Q0 FR940202-2-00150 0 1,234.5678 lucene", b"301 Q0 FT934-1 1 999.1000 lucene"),
        (1, "write it without a comma for thousands"),
    ),
    # ScoredPassage.toString of Galago: begin and end of the passage after the tag
    "Galago's passages": (
        [b"1 Q0 WSJ870605-0094 %d -5.4%d galago 0 50" % (rank, rank) for rank in range(1, 6)],
        (1, "all 5 lines: 8 fields, 6 expected: the run tag contains spaces, or text follows it"),
    ),
    # pandas quotes a run_name with spaces
    "PyTerrier, with a name of two words": (
        [b'1 Q0 %d %d 13.7 "my run"' % (rank, rank) for rank in range(5)],
        (1, "all 5 lines: 7 fields, 6 expected: the run tag contains spaces"),
    ),
    # searchpioneer/ranklib-dotnet, README.md: -indri writes the comment of a vector as the id
    "RankLib": (
        (
            b"1 Q0 docid=GX236-70-4445188 inc=0.600318836372593 prob=0.170566 1 3.21606 indri",
            b"1 Q0 docid=GX000-24-12369390 inc=0.60031 prob=0.416367 2 2.90221 indri",
            b"1 Q0 docid=GX016-48-5543459 inc=1 prob=0.775913 3 2.37666 indri",
            b"1 Q0 docid=GX272-12-14599061 inc=0.600318836372593 prob=0.236838 4 0.94184 indri",
        ),
        (1, "all 4 lines: 8 fields, 6 expected: the document id contains a space, or the run tag"),
    ),
}
