"""Submits a run, prints its scores: TRACKSIDE_TOKEN=... client.py SITE CAMPAIGN RUN_FILE [KEY]"""

from sys import argv

import trackside as ts


def submit(site: str, campaign: str, run: str, key: str | None = None) -> ts.SubmittedRun:
    return ts.Site(site).submit(campaign, run, key=key, progress=print)


if __name__ == "__main__":
    if len(argv) not in (4, 5):
        raise SystemExit(__doc__)
    try:
        result = submit(*argv[1:])
    except (ts.SiteError, ts.BadInput) as error:
        raise SystemExit(str(error)) from None
    print(result.scores.to_csv(), end="")
