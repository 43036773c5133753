import { nodesOf, type SqlNode } from '../../../../core/duckdb/serialize-sql.ts';

/** The sources of each column of a relation, in its order. */
export type ColumnSources = ReadonlyMap<string, ReadonlySet<string>>;

interface Relation {
  readonly name: string;
  readonly columns: ColumnSources;
}

type Tables = (name: string) => ColumnSources;
type Expressions = ReadonlyMap<string, ColumnSources>;

interface Select {
  readonly relations: readonly Relation[];
  /** The previous entries of the list, by their aliases. */
  readonly before: ColumnSources;
  readonly tables: Tables;
  readonly scope: Expressions;
}

/**
 * Returns the source columns of each output column of a SELECT, by lowercase name.
 *
 * @param tables the columns of a table, by `schema.table` in lowercase
 */
export function sourcesOf(node: SqlNode, tables: Tables, outer: Expressions = new Map()): ColumnSources {
  const scope = new Map(outer);
  const entries = ((node.cte_map as SqlNode | undefined)?.map ?? []) as { key: string; value: SqlNode }[];
  for (const { key, value } of entries) {
    scope.set(key.toLowerCase(), sourcesOf((value.query as SqlNode).node as SqlNode, tables, scope));
  }
  if (node.type === 'SET_OPERATION_NODE' || node.type === 'RECURSIVE_CTE_NODE') {
    const left = sourcesOf(node.left as SqlNode, tables, scope);
    const recursive = new Map(scope).set(String(node.cte_name ?? '').toLowerCase(), left);
    const right = sourcesOf(node.right as SqlNode, tables, recursive);
    if (node.setop_type === 'EXCEPT') return left;
    // The rows of both, column by column in their order.
    const others = [...right.values()];
    return new Map([...left].map(([name, sources], index) => [name, union([sources, others[index]])]));
  }
  const relations = relationsOf(node.from_table as SqlNode | undefined, tables, scope);
  const columns = new Map<string, ReadonlySet<string>>();
  const select = { relations, before: columns, tables, scope };
  const expressions = (node.select_list ?? []) as SqlNode[];
  for (const [index, expression] of expressions.entries()) {
    for (const [name, sources] of put(expression, index, select)) {
      if (!columns.has(name)) columns.set(name, sources);
    }
  }
  return columns;
}

function relationsOf(from: SqlNode | undefined, tables: Tables, scope: Expressions): Relation[] {
  const alias = String(from?.alias ?? '').toLowerCase();
  switch (from?.type) {
    case 'BASE_TABLE': {
      const [schema, table] = [String(from.schema_name ?? ''), String(from.table_name)].map((part) =>
        part.toLowerCase(),
      );
      const found = schema === '' ? scope.get(String(table)) : tables(`${schema}.${table}`);
      const columns = [...(found ?? [])].map(([name, sources]) => [name.toLowerCase(), sources] as const);
      return [{ name: alias || String(table), columns: new Map(columns) }];
    }
    case 'SUBQUERY': {
      const node = (from.subquery as SqlNode).node as SqlNode;
      return [{ name: alias, columns: sourcesOf(node, tables, scope) }];
    }
    case 'JOIN': {
      const left = relationsOf(from.left as SqlNode, tables, scope);
      const semi = from.join_type === 'SEMI' || from.join_type === 'ANTI';
      return semi ? left : [...left, ...relationsOf(from.right as SqlNode, tables, scope)];
    }
    // Its columns are known only at run time.
    case 'PIVOT':
      return relationsOf(from.source as SqlNode, tables, scope);
    default:
      return [];
  }
}

/** Returns the columns of one entry of a select list. */
function put(expression: SqlNode, index: number, select: Select): [string, ReadonlySet<string>][] {
  const of = (value: unknown): ReadonlySet<string> => valueSources(value, select);
  if (expression.type === 'STAR' && !expression.columns) {
    const starOf = String(expression.relation_name ?? '').toLowerCase();
    const leftOut = new Set(names(expression.exclude_list).concat(names(expression.qualified_exclude_list)));
    const replaced = new Map(
      ((expression.replace_list ?? []) as { key: string; value: SqlNode }[]).map(({ key, value }) => [
        key.toLowerCase(),
        of(value),
      ]),
    );
    return select.relations
      .filter(({ name }) => starOf === '' || name === starOf)
      .flatMap(({ columns }) => [...columns])
      .filter(([name]) => !leftOut.has(name))
      .map(([name, sources]) => [name, replaced.get(name) ?? sources]);
  }
  const column = (expression.column_names as string[] | undefined)?.at(-1);
  const sources = of(expression);
  if (expression.function_name === 'unnest' && !expression.alias) {
    // An unnested struct outputs its fields. Each is in the list by name.
    const fields = structFields(expression, of);
    if (fields.length > 0) return fields;
  }
  return [[String(expression.alias || column || `column ${index}`).toLowerCase(), sources]];
}

function names(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((item) => String(typeof item === 'object' ? (item as SqlNode).column : item).toLowerCase());
}

function structFields(
  value: unknown,
  of: (value: unknown) => ReadonlySet<string>,
): [string, ReadonlySet<string>][] {
  const fields = new Map<string, ReadonlySet<string>>();
  const isStruct = (node: SqlNode): boolean => node.function_name === 'struct_pack';
  for (const node of nodesOf(value, (node) => !isStruct(node)).filter(isStruct))
    for (const child of (node.children ?? []) as SqlNode[]) {
      const name = String(child.alias).toLowerCase();
      fields.set(name, union([fields.get(name), of(child)]));
    }
  return [...fields];
}

/** Returns every column that an expression names, also in a subquery. An alias of the same select list is resolved. */
function valueSources(value: unknown, select: Select): ReadonlySet<string> {
  const isSubquery = (node: SqlNode): boolean => node.class === 'SUBQUERY' || node.type === 'SUBQUERY';
  return union(
    nodesOf(value, (node) => !isSubquery(node)).flatMap((node) => {
      if (node.type === 'COLUMN_REF') return columnSources(node, select);
      const inner = isSubquery(node) ? (node.subquery as SqlNode | undefined)?.node : undefined;
      return inner ? sourcesOf(inner as SqlNode, select.tables, select.scope).values() : [];
    }),
  );
}

function columnSources(
  node: SqlNode,
  { relations, before }: Select,
): readonly (ReadonlySet<string> | undefined)[] {
  const parts = (node.column_names as string[]).map((part) => part.toLowerCase());
  // `a.b` is column b of relation a, or field b of column a.
  const relation = relations.find(({ name }) => parts.length > 1 && parts.includes(name, 0));
  const qualified = relation?.columns.get(parts[parts.indexOf(relation.name) + 1] ?? '');
  if (qualified) return [qualified];
  const column = parts[0] ?? '';
  return [...relations.map(({ columns }) => columns.get(column)), before.get(column)];
}

function union(sets: Iterable<ReadonlySet<string> | undefined>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const set of sets) for (const one of set ?? []) all.add(one);
  return all;
}
