import { WIDE_WHOLE } from '../../../project/model/field.ts';

/** How a column accepts values of another type: the new type, and the conversions of existing and incoming values. */
export interface MergedType {
  readonly type: string;
  /** SQL around a value that is in the table already; null when nothing changes. */
  readonly existing: ((value: string) => string) | null;
  /** SQL around an incoming value. */
  readonly incoming: (value: string) => string;
}

const WHOLE = ['BIGINT', WIDE_WHOLE];
const DAYS = ['DATE', 'TIMESTAMP WITH TIME ZONE'];

const plain = (value: string): string => value;
const asList = (value: string): string => `CASE WHEN ${value} IS NULL THEN NULL ELSE [${value}] END`;

/**
 * Merges the type of a table's column with the type of incoming values. By default, merges only without loss: a whole
 * number may widen, and a single value may become a list. Returns null when the two do not fit together.
 *
 * @param retype the field may have another type: whole numbers and others meet as `DOUBLE`, days and points in time as
 *   points in time (midnight UTC), all else as text
 */
export function mergeType(table: string, incoming: string, retype = false): MergedType | null {
  if (table === incoming) return { type: table, existing: null, incoming: plain };
  const [tableElement, tableList] = elementOf(table);
  const [incomingElement, incomingList] = elementOf(incoming);
  const element =
    mergeElement(tableElement, incomingElement) ?? (retype ? meetingOf(tableElement, incomingElement) : null);
  if (element === null) return null;
  const list = tableList || incomingList;
  const type = list ? `${element}[]` : element;
  const lift = (isList: boolean) => (value: string) =>
    `CAST(${list && !isList ? asList(value) : value} AS ${type})`;
  return { type, existing: type === table ? null : lift(tableList), incoming: lift(incomingList) };
}

function elementOf(type: string): [element: string, list: boolean] {
  return type.endsWith('[]') ? [type.slice(0, -2), true] : [type, false];
}

function mergeElement(left: string, right: string): string | null {
  if (left === right) return left;
  return WHOLE.includes(left) && WHOLE.includes(right) ? WIDE_WHOLE : null;
}

/** Returns the narrowest type with room for both values, though not always for every digit. */
function meetingOf(left: string, right: string): string {
  for (const family of [[...WHOLE, 'DOUBLE'], DAYS]) {
    if (family.includes(left) && family.includes(right)) return family.at(-1) ?? 'VARCHAR';
  }
  return 'VARCHAR';
}
