"""Prints the sheets of a workbook as openpyxl reads them, as JSON."""
import datetime
import json
import sys

import openpyxl

EPOCH = datetime.datetime(1970, 1, 1)


def value(cell):
    if isinstance(cell.value, datetime.datetime):
        return {"time": cell.value.isoformat(), "format": cell.number_format}
    return cell.value


book = openpyxl.load_workbook(sys.argv[1])
print(
    json.dumps(
        [
            {
                "name": sheet.title,
                "rows": [[value(cell) for cell in row] for row in sheet.iter_rows()],
                "types": [[cell.data_type for cell in row] for row in sheet.iter_rows()],
                "bold": [cell.font.b for cell in sheet[1]],
                "frozen": sheet.freeze_panes,
                "filter": sheet.auto_filter.ref,
                "widths": [sheet.column_dimensions[cell.column_letter].width for cell in sheet[1]],
            }
            for sheet in book.worksheets
        ]
    )
)
