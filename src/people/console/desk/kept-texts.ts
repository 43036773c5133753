import { hash } from 'node:crypto';

const MOST = 50;

/** SQL that is too long for an address, by what stands for it there; the oldest is forgotten. */
export class KeptTexts {
  #texts = new Map<string, string>();

  keep(subject: string, text: string): string {
    const key = keyOf(subject, text);
    this.#texts.delete(key);
    this.#texts.set(key, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MOST && oldest !== undefined) this.#texts.delete(oldest);
    return key;
  }

  /** Only what the same person kept. */
  find(subject: string, key: string): string | undefined {
    const text = this.#texts.get(key);
    return text === undefined || keyOf(subject, text) !== key ? undefined : text;
  }
}

function keyOf(subject: string, text: string): string {
  return hash('sha256', JSON.stringify([subject, text]), 'base64url').slice(0, 22);
}
