"""Write `spec/schema.json`, the JSON Schema of a rules file, from the table of forms."""

import json
from pathlib import Path

from tablelaw.spec.schema import json_schema


def main() -> None:
    """Write the file anew."""
    path = Path(__file__).resolve().parent.parent / "spec" / "schema.json"
    path.write_text(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
