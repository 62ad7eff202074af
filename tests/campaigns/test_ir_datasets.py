"""Topics and qrels of a data set of ir_datasets become a campaign."""

from pathlib import Path
from typing import Any
from unittest import mock

import ir_datasets
import pytest
from django.core.management import CommandError

from campaigns.models import Campaign
from tests.campaigns.test_folders import QRELS, imported

pytestmark = pytest.mark.django_db


@pytest.fixture
def data_set(tmp_path: Path) -> Any:
    """A data set of the real ir_datasets, of files that are here: it downloads nothing."""
    (tmp_path / "queries.tsv").write_text("1\tfirst\n02\ta <b> & c\n")
    (tmp_path / "qrels.txt").write_text(QRELS)
    made = ir_datasets.create_dataset(
        queries_tsv=str(tmp_path / "queries.tsv"), qrels_trec=str(tmp_path / "qrels.txt")
    )
    with mock.patch.dict(ir_datasets.registry._registered, {"tiny": made, "documents": NoTopics()}):
        yield made


class NoTopics:
    def has_queries(self) -> bool:
        return False


def test_topics_and_qrels_of_ir_datasets_are_imported(data_set: Any) -> None:
    imported(Path("irds:tiny"))
    campaign = Campaign.objects.get(slug="small")
    topics = campaign.topics.order_by("position").values_list("code", "fields")
    assert list(topics) == [("1", [["text", "first"]]), ("02", [["text", "a <b> & c"]])]
    assert campaign.active_qrels is not None
    assert campaign.active_qrels.judgment_count == 3
    imported(Path("irds:tiny"), slug="again")
    assert Campaign.objects.get(slug="again").active_qrels.digest == campaign.active_qrels.digest


def test_what_ir_datasets_cannot_give_is_said(data_set: Any) -> None:
    with pytest.raises(CommandError, match="ir_datasets has no data set nothing/here"):
        imported(Path("irds:nothing/here"))
    with pytest.raises(CommandError, match="documents has no topics"):
        imported(Path("irds:documents"))
    refused = OSError("the network is unreachable")
    all_failed = RuntimeError("All download sources failed", [("a URL", refused)])
    for broken, words in (
        (refused, "the network is unreachable"),
        (all_failed, "All download sources failed"),
    ):
        with (
            mock.patch.object(type(data_set), "queries_iter", side_effect=broken, create=True),
            pytest.raises(CommandError, match=f"cannot read tiny: {words}. Try again later, or "),
        ):
            imported(Path("irds:tiny"))
    with (
        mock.patch.dict("sys.modules", {"ir_datasets": None}),
        pytest.raises(CommandError, match=r'pip install "trackside\[irds\]"'),
    ):
        imported(Path("irds:tiny"))
    assert not Campaign.objects.exists()
