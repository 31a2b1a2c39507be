"""The scoreboard's page: a column a version, and parts that are measured anew."""

import scoreboard

OLD = scoreboard.page(["before", "this code"], [{"A": {"x": "1"}}, {"A": {"x": "2", "y": "3"}}])


def test_a_row_that_only_one_version_has_gets_a_dash():
    assert OLD.endswith(
        "\n\n## A\n\n|  | before | this code |\n| --- | --- | --- |\n| x | 1 | 2 |\n| y | – | 3 |\n"
    )


def test_a_part_replaces_its_own_sections_alone():
    both = scoreboard.renewed(OLD, scoreboard.page(["this code"], [{"B": {"z": "4"}}]))
    assert both == OLD + "\n## B\n\n|  | this code |\n| --- | --- |\n| z | 4 |\n"
    again = scoreboard.renewed(both, scoreboard.page(["this code"], [{"A": {"x": "5"}}]))
    assert again.endswith(
        "\n\n## A\n\n|  | this code |\n| --- | --- |\n| x | 5 |"
        "\n\n## B\n\n|  | this code |\n| --- | --- |\n| z | 4 |\n"
    )
    assert again.startswith(OLD[: OLD.index("## A")])


def test_a_whole_page_is_written_as_it_is():
    assert scoreboard.renewed("", OLD) == OLD
