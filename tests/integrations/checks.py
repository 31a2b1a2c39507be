"""What is checked of every integration: the verdict, and the example's run."""

import contextlib
import io
import json
import os
import runpy

import pytest

from streamguard import check_text
from tests.integrations.cases import ANSWER, CONTEXT, ROOT


def check_verdict(annotation, *, context=CONTEXT):
    """Check that an annotation, as a value or as data, is that of the whole answer."""
    data = annotation if isinstance(annotation, dict) else json.loads(annotation.to_json())
    assert data["object"] == "streamguard.result"
    assert data["state"] == "complete"
    assert data["result"] == json.loads(check_text(ANSWER, context=context).model_dump_json())
    assert data["result"]["status"] == "WARN"
    assert any(found["nearest"]["value"].startswith("$49") for found in data["result"]["findings"])


def check_example(name, *, finding="says “$49 per month”"):
    """Run an example as a program without any key; it prints answer, verdict and finding.

    In this process: the frameworks take up to ten seconds to import.
    """
    examples, out = ROOT / "examples", io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.syspath_prepend(str(examples))
        for key in [key for key in os.environ if key.endswith("_API_KEY")]:
            patch.delenv(key)
        runpy.run_path(str(examples / f"{name}.py"), run_name="__main__")
    for said in (ANSWER, "WARN", finding):
        assert said in out.getvalue()
