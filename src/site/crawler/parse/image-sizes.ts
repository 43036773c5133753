import { attribute, type Element, textContent, tokens } from './tree.ts';

/** Declarations of a size that is not `auto`, and of a position outside the flow, where an image moves nothing. */
const DECLARED = {
  width: /(?:^|;)\s*(?:width|inline-size)\s*:(?!\s*auto\b)/i,
  height: /(?:^|;)\s*(?:height|block-size)\s*:(?!\s*auto\b)/i,
  ratio: /(?:^|;)\s*aspect-ratio\s*:(?!\s*auto\s*(?:;|$))/i,
  aside: /(?:^|;)\s*position\s*:\s*(?:absolute|fixed)/i,
};
type Declared = keyof typeof DECLARED;
const NAMES = Object.keys(DECLARED) as Declared[];

/** Characters of all style elements that are read, and levels of their blocks. */
const MOST_STYLE = 1_000_000;
const MOST_LEVELS = 16;
/** Selectors of several parts, such as `.a.b`, that each image is compared with. */
const MOST_COMPOUNDS = 100;
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gs;
/** Selectors of one element: a name, classes and an identifier. */
const SELECTOR = /^(?:img|\*)?((?:[.#][\w-]+)*)$/i;

/**
 * Counts the images whose size the page does not know before they load: by attributes, by their own style, or by rules
 * of its style elements. Rules count in any order if they are outside of conditions, such as `@media`, and if their
 * selector has a single element, such as `img`, `.hero`, `img.hero` and `#logo`.
 */
export class UnsizedImages {
  readonly #images: Element[] = [];
  readonly #styles: Element[] = [];
  /** The declarations for a class, an identifier or, with an empty key, any image. */
  readonly #declared = new Map<string, Set<Declared>>();
  readonly #compounds: { readonly parts: readonly string[]; readonly declared: readonly Declared[] }[] = [];

  add(image: Element): void {
    if (!this.#isSized(image)) this.#images.push(image);
  }

  addStyle(style: Element): void {
    if (/^\s*(?:all|screen)?\s*$/i.test(attribute(style, 'media') ?? '')) this.#styles.push(style);
  }

  count(): number {
    if (this.#images.length > 0) this.#read(this.#styles.map(textContent).join('\n').slice(0, MOST_STYLE));
    return this.#images.filter((image) => !this.#isSized(image)).length;
  }

  #read(css: string): void {
    const around: string[] = [];
    let text = '';
    for (const piece of withoutComments(css)
      .replaceAll(STRING, '""')
      .split(/([{}])/)) {
      if (piece === '{') around.push(text.slice(text.lastIndexOf(';') + 1).trim());
      else if (piece === '}') {
        const selectors = around.pop() ?? '@';
        const isPlain = !selectors.startsWith('@') && around.every((block) => /^@layer\b/i.test(block));
        if (isPlain) this.#addRule(selectors, declaredIn(text));
      } else text = piece;
      if (around.length > MOST_LEVELS) return;
    }
  }

  #addRule(selectors: string, declared: readonly Declared[]): void {
    if (declared.length === 0) return;
    for (const selector of selectors.split(',')) {
      const found = SELECTOR.exec(selector.trim());
      if (found === null || found[0] === '') continue;
      const parts = found[1]?.match(/[.#][\w-]+/g) ?? [''];
      const [part = ''] = parts;
      if (parts.length === 1)
        this.#declared.set(part, new Set([...(this.#declared.get(part) ?? []), ...declared]));
      else if (this.#compounds.length < MOST_COMPOUNDS) this.#compounds.push({ parts, declared });
    }
  }

  #isSized(image: Element): boolean {
    const known = new Set<string>(declaredIn(attribute(image, 'style') ?? ''));
    for (const name of ['width', 'height']) if (attribute(image, name) !== null) known.add(name);
    const parts = new Set(['', `#${attribute(image, 'id') ?? ''}`]);
    for (const name of tokens(attribute(image, 'class'))) parts.add(`.${name}`);
    for (const part of parts) for (const one of this.#declared.get(part) ?? []) known.add(one);
    for (const compound of this.#compounds)
      if (compound.parts.every((part) => parts.has(part)))
        for (const one of compound.declared) known.add(one);
    const sides = Number(known.has('width')) + Number(known.has('height'));
    return sides === 2 || (sides === 1 && known.has('ratio')) || known.has('aside');
  }
}

function declaredIn(declarations: string): Declared[] {
  return NAMES.filter((name) => DECLARED[name].test(declarations));
}

function withoutComments(css: string): string {
  const [first = '', ...others] = css.split('/*');
  const rest = others.map((piece) => (piece.includes('*/') ? piece.slice(piece.indexOf('*/') + 2) : ''));
  return [first, ...rest].join(' ');
}
