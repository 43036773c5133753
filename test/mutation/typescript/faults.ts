import { parseAst } from 'vitest/node';
import type { Change } from '../change.ts';

/** A change of one line of a source. */
export interface Fault extends Change {
  readonly line: number;
  /** What was done, such as `dropped: await flush();`. */
  readonly what: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}
type Fields = Readonly<Record<string, unknown>>;

const OTHER_OPERATOR: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  ...{ '-': '+', '*': '/', '&&': '||', '||': '&&' },
};

/** Every fault of a source: a negated condition, a branch, statement or await less, another operator. */
export function faultsOf(source: string): Fault[] {
  const faults: Fault[] = [];
  const add = (start: number, end: number, instead: string, what: string): void => {
    const before = source.slice(start, end);
    if (before.includes('\n')) return;
    const line = source.slice(0, start).split('\n').length;
    faults.push({ start, end, instead, line, what: `${what}: ${before}` });
  };
  for (const { node, parent, isGuarded } of nodesOf(parseAst(source, { lang: 'ts' }))) {
    const { start, end, type } = node;
    const fields = node as unknown as Fields;
    if (type === 'IfStatement' || type === 'ConditionalExpression') {
      const { start, end } = fields.test as Node;
      add(start, end, `!(${source.slice(start, end)})`, 'negated');
      if (type === 'IfStatement') add(start, end, 'false', 'branch never taken');
    }
    if (type === 'IfStatement' && isNode(fields.alternate)) {
      const { start, end } = fields.alternate;
      add(start, end, '{}', 'no else');
    }
    if (
      type === 'ExpressionStatement' &&
      typeof fields.directive !== 'string' &&
      !isSuperCall(fields.expression)
    )
      add(start, end, ';', 'dropped');
    // The compiler or the linter refuses a source that lacks another one. Outside `try` and `using`, the caller waits.
    if (type === 'AwaitExpression' && parent?.type === 'ReturnStatement' && isGuarded)
      add(start, start + 'await '.length, '', 'no await');
    if (type === 'BinaryExpression' || type === 'LogicalExpression') {
      const [left, right] = [fields.left as Node, fields.right as Node];
      const operator = String(fields.operator);
      const other = OTHER_OPERATOR[operator];
      const at = left.end + source.slice(left.end, right.start).indexOf(operator);
      const whole = source.slice(start, end);
      if (other !== undefined && !whole.includes('\n'))
        faults.push({
          start: at,
          end: at + operator.length,
          instead: other,
          line: source.slice(0, at).split('\n').length,
          what: `${operator} for ${other}: ${whole}`,
        });
    }
  }
  return faults.sort((a, b) => a.start - b.start || a.end - b.end);
}

interface Visited {
  readonly node: Node;
  readonly parent: Node | undefined;
  /** Whether its function does something after it, even if it returns or throws. */
  readonly isGuarded: boolean;
}

function* nodesOf(root: unknown): Generator<Visited> {
  const open: (Omit<Visited, 'node'> & { readonly value: unknown })[] = [
    { value: root, parent: undefined, isGuarded: false },
  ];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { value, parent } = one;
    if (typeof value !== 'object' || value === null) continue;
    const isGuarded = isNode(value) ? guards(value) || (one.isGuarded && !isFunction(value)) : one.isGuarded;
    if (isNode(value)) yield { node: value, parent, isGuarded };
    for (const child of Object.values(value))
      open.push({ value: child, parent: isNode(value) ? value : parent, isGuarded });
  }
}

const isFunction = ({ type }: Node): boolean => type.includes('Function');

function guards(node: Node): boolean {
  const statements = 'body' in node && Array.isArray(node.body) ? node.body : [];
  return node.type === 'TryStatement' || statements.some((one) => /using$/.test(String(one?.kind)));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}

function isSuperCall(expression: unknown): boolean {
  const { callee } = expression as { readonly callee?: unknown };
  return isNode(callee) && callee.type === 'Super';
}
