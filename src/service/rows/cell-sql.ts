import { type Column, isMany } from '../fields/column.ts';

const IS_LONE = `json_array_length(@) = 1 AND json_type(@, '$[0]') NOT IN ('ARRAY', 'NULL')`;

/** Returns SQL for a value as JSON text, `null` included; a list of one comes as a lone value (wire-facts.md). */
export function jsonCell(column: Column): string {
  return `coalesce(${jsonValue(column)}, 'null')`;
}

function jsonValue(column: Column): string {
  const c = column.id;
  switch (column.kind) {
    case 'int':
    case 'float':
    case 'bool':
      return `CAST(${c} AS VARCHAR)`;
    case 'date':
    case 'text':
      return `CAST(to_json(${c}) AS VARCHAR)`;
    case 'texts':
      return `CASE WHEN len(${c}) = 1 THEN CAST(to_json(${c}[1]) AS VARCHAR) ELSE CAST(to_json(${c}) AS VARCHAR) END`;
    case 'json':
      if (!isMany(column)) return c;
      return `CASE WHEN json_type(${c}) = 'ARRAY' AND ${IS_LONE.replaceAll('@', c)} THEN CAST(json_extract(${c}, '$[0]') AS VARCHAR) ELSE ${c} END`;
  }
}

/** Returns SQL for a CSV cell; NULL becomes an empty cell in `concat`. */
export function csvCell(column: Column, delimiter = ';'): string {
  const c = column.id;
  switch (column.kind) {
    case 'int':
    case 'float':
    case 'date':
      return `CAST(${c} AS VARCHAR)`;
    case 'bool':
      return `CASE ${c} WHEN true THEN 'True' WHEN false THEN 'False' END`;
    case 'text':
      return quoted(c, delimiter);
    case 'texts':
      return always(`CAST(to_json(${c}) AS VARCHAR)`);
    case 'json':
      return csvOfJson(column, delimiter);
  }
}

function csvOfJson(column: Column, delimiter: string): string {
  const c = column.id;
  if (isMany(column))
    return always(`CASE WHEN json_type(${c}) = 'ARRAY' THEN ${c} ELSE concat('[', ${c}, ']') END`, c);
  return `CASE WHEN ${c} = 'true' THEN 'True' WHEN ${c} = 'false' THEN 'False' WHEN starts_with(${c}, '"') THEN ${quoted(`json_extract_string(${c}, '$')`, delimiter)} ELSE ${quoted(c, delimiter)} END`;
}

/** Quotes only if RFC 4180 requires it, and the empty string, to distinguish it from null. */
function quoted(text: string, delimiter: string): string {
  return `CASE WHEN ${text} = '' OR contains(${text}, '${delimiter}') OR contains(${text}, '"') OR contains(${text}, chr(10)) OR contains(${text}, chr(13)) THEN ${always(text)} ELSE ${text} END`;
}

function always(text: string, unlessNull = text): string {
  return `CASE WHEN ${unlessNull} IS NOT NULL THEN concat('"', replace(${text}, '"', '""'), '"') END`;
}
