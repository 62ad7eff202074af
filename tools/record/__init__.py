"""Records what a commit answers to every request, so that two commits can be compared byte by byte.

    python -m tools.record COMMIT FOLDER               record the answers of a commit
    python -m tools.record --compare FOLDER1 FOLDER2   compare two recordings; status 1: they differ

`$(git stash create)` as the COMMIT records changes that are not committed. `--only REGEX` records
the URL patterns in which the regular expression is found.

A recording asks for every URL of the commit's URLconf as each role at each stage of a campaign,
before and after workers have computed what the answer needs, and for result pages with each of
`queries.py`. FOLDER contains one file per answer, with status, headers and body:

    published/organiser/campaigns/whole/significance/GET@test=wilcoxon

and `manifest.tsv`: the digest, the URL pattern and the file of each answer. Equal answers share
their storage by hard links.

The commit is checked out into a temporary worktree and runs with its own code, but with this
recorder, which is copied there. The recorder uses only what users and operators use: the URLconf,
requests, Celery's tasks and the models. It freezes the clock and seeds all random bytes. Values
that have no meaning of their own, such as CSRF tokens and ETags, are replaced.
"""
