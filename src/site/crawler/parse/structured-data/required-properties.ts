import { lookUp } from '../../../../core/text/look-up.ts';
import { EVERY_TYPE, GOOGLE_RULES, type PartRequirements, type Requirements } from './google-rules.ts';
import { DEEPEST, type Item, isItem, schemaName, typesOf } from './item.ts';
import { SUBTYPES } from './schema-types.ts';

const PARENTS = new Map<string, string[]>();
for (const [parent, children] of Object.entries(SUBTYPES))
  for (const child of children.split(' ')) PARENTS.set(child, [...(PARENTS.get(child) ?? []), parent]);

/** The requirements of each type of schema.org that has any, by its own rules or by those of its nearest parents. */
const RULES = new Map(
  [...PARENTS.keys(), ...Object.keys(GOOGLE_RULES)].map((type) => [type, inheritedRules(type)]),
);

function inheritedRules(type: string): readonly Requirements[] {
  const own = lookUp(GOOGLE_RULES, type);
  return own === undefined ? (PARENTS.get(type) ?? []).flatMap(inheritedRules) : [own];
}

function rulesOf(type: string): readonly Requirements[] {
  return RULES.get(type) ?? [];
}

/** Returns whether search engines have requirements for a type. */
export function hasRules(type: string): boolean {
  return rulesOf(type).some(({ required }) => required.length > 0);
}

/** Facts about an item from other items: the node that a reference points to, and properties that others give it. */
export interface Around {
  readonly nodeOf: (object: Item) => Item;
  readonly saidOf: (object: Item) => ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();
export const ALONE: Around = { nodeOf: (object) => object, saidOf: () => NOTHING };

/** Levels of parts that have requirements. */
const DEEPEST_PART = 4;

/**
 * Returns the properties that an item's types require and that it or a part of it lacks: alternatives as `a|b`, those
 * of a part as `part.property`. Empty values count as lacking. A part that is a text, or a reference to something
 * outside the page, is not checked.
 */
export function missingProperties(item: Item, around: Around = ALONE): string[] {
  const rules = [...new Set(typesOf(item).flatMap(rulesOf)), EVERY_TYPE];
  return rules.flatMap((rule) => lacking(item, rule, { around, path: '', isLast: false, depth: 0 }));
}

interface Place {
  readonly around: Around;
  readonly path: string;
  readonly isLast: boolean;
  readonly depth: number;
}

function lacking(
  item: Item,
  { required, conditions = [], parts = {} }: Requirements,
  place: Place,
): string[] {
  const { around, path, depth } = place;
  const said = around.saidOf(item);
  const demanded = conditions.filter(({ property, value }) => namesIn(item, property).includes(value));
  const missing = [...required, ...demanded.map((one) => one.required)].filter((one) => {
    if (one.endsWith('*') && place.isLast) return false;
    const names = one.replace('*', '').split('|');
    return !names.some((name) => said.has(name) || has(item, name.split('.'), around));
  });
  if (depth >= DEEPEST_PART) return missing.map((one) => path + one.replace('*', ''));
  const within = Object.entries(parts).flatMap(([property, part]) => {
    const objects = objectsOf(valueIn(item, property)).map(around.nodeOf);
    return objects.flatMap((object, at) => {
      if (isReference(object)) return [];
      const inner = {
        around,
        path: `${path}${property}.`,
        isLast: at === objects.length - 1,
        depth: depth + 1,
      };
      return partRules(part, object).flatMap((rule) => lacking(object, rule, inner));
    });
  });
  return [...missing.map((one) => path + one.replace('*', '')), ...within];
}

function partRules(part: PartRequirements, object: Item): readonly Requirements[] {
  const named = typesOf(object).flatMap((type) => lookUp(part, type) ?? []);
  return named.length > 0 ? named : part['*'] === undefined ? [] : [part['*']];
}

function has(item: Item, [name = '', ...more]: readonly string[], around: Around): boolean {
  const value = valueIn(item, name);
  if (more.length === 0) return !isEmpty(value);
  return objectsOf(value).some((object) => has(around.nodeOf(object), more, around));
}

function valueIn(item: Item, name: string): unknown {
  if (!isEmpty(item[name])) return item[name];
  const key = Object.keys(item).find(
    // A longer name ends with it.
    (key) =>
      key.length > name.length && key.endsWith(name) && schemaName(key) === name && !isEmpty(item[key]),
  );
  return key === undefined ? undefined : item[key];
}

/** Returns the names and addresses that a property has as values, without the vocabulary of schema.org. */
function namesIn(item: Item, property: string): string[] {
  return [valueIn(item, property)]
    .flat(DEEPEST)
    .map((one) => (isItem(one) ? (one['@id'] ?? one.id ?? one['@value']) : one))
    .filter((one) => typeof one === 'string')
    .map((one) => schemaName(one.trim()));
}

/** Returns whether an object has only the identifier of its node. */
function isReference(object: Item): boolean {
  const keys = Object.keys(object);
  return keys.length > 0 && keys.every((key) => key === '@id' || key === 'id');
}

/** Returns the objects of a value, also of lists and sets. */
export function objectsOf(value: unknown): Item[] {
  if (Array.isArray(value)) return value.flat(DEEPEST).flatMap(objectsOf);
  // A number that JavaScript would round is stored raw (`parseJsonAsWritten`).
  if (!isItem(value) || '@value' in value || 'rawJSON' in value) return [];
  const list = value['@list'] ?? value['@set'];
  return list === undefined ? [value] : objectsOf(list);
}

/** JSON-LD objects that wrap a value. */
const HOLDERS = ['@value', '@list', '@set'];

/** Returns whether a value is empty: JSON-LD drops nulls, also in lists, and a blank text is not a name. */
function isEmpty(value: unknown): boolean {
  const held = (one: unknown): unknown => {
    const holder = isItem(one) ? HOLDERS.find((name) => Object.hasOwn(one, name)) : undefined;
    return isItem(one) && holder !== undefined ? one[holder] : one;
  };
  const values = [value].flat(DEEPEST).map(held).flat(DEEPEST);
  return values.every(
    (value) => value === undefined || value === null || (typeof value === 'string' && value.trim() === ''),
  );
}
