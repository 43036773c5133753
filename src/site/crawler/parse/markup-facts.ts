import type { Fetched, LinkRecord, PageRecord } from '../records/records.ts';
import type { LinkSource } from './alternates.ts';
import { type HeaderLink, headerLinks, headerValues } from './headers.ts';
import type { DocumentFacts } from './read-document.ts';
import { readRefresh } from './refresh-address.ts';

/** Headers that a page is recorded with, by field. */
const HEADER_FIELDS = {
  header_cache_control: 'cache-control',
  header_content_encoding: 'content-encoding',
  header_content_language: 'content-language',
  header_content_security_policy: 'content-security-policy',
  header_etag: 'etag',
  header_last_modified: 'last-modified',
  header_strict_transport_security: 'strict-transport-security',
  header_x_content_type_options: 'x-content-type-options',
} as const;
/** The maximum number of characters of a header that are stored. */
const LONGEST_HEADER = 1_000;

type HeaderFields = Pick<PageRecord, keyof typeof HEADER_FIELDS>;

/** Returns the recorded headers of a page. Joins several headers of the same name with commas (RFC 9110 §5.3). */
export function headerFields(headers: Fetched['headers']): HeaderFields {
  const entries = Object.entries(HEADER_FIELDS).map(([field, name]) => {
    const value = headerValues(headers, name).join(', ').trim();
    return [field, value === '' ? null : value.slice(0, LONGEST_HEADER)];
  });
  return Object.fromEntries(entries) as HeaderFields;
}

/** Link texts that do not describe their targets, by language; arrows and dots after them are ignored. */
const GENERIC: Readonly<Record<string, string>> = {
  en: 'click here|here|click|link|this link|this page|more|read more|learn more|more info|details',
  de: 'hier|hier klicken|klicken sie hier|mehr|mehr erfahren|mehr lesen|weiterlesen|weiter|details|link',
  fr: 'ici|cliquez ici|en savoir plus|lire la suite|lien',
  es: 'aquí|haz clic aquí|leer más|más información|más',
  it: 'qui|clicca qui|scopri di più|leggi tutto',
  pt: 'aqui|clique aqui|saiba mais|leia mais|ver mais',
  nl: 'hier|klik hier|lees meer|lees verder|meer lezen|meer informatie',
  pl: 'tutaj|kliknij tutaj|czytaj więcej|więcej|dowiedz się więcej',
  cs: 'zde|klikněte zde|číst více|více|více informací',
  da: 'klik her|læs mere',
  sv: 'klicka här|läs mer',
  tr: 'tıklayın|buraya tıklayın|devamını oku|daha fazla bilgi',
  ru: 'здесь|тут|нажмите здесь|подробнее|читать далее|узнать больше',
  uk: 'тут|натисніть тут|детальніше|читати далі|дізнатися більше',
  ja: 'こちら|ここ|こちらをクリック|詳細|詳しくはこちら|詳細はこちら|続きを読む|もっと見る',
  ko: '여기|여기를 클릭|자세히|자세히 보기|더보기|더 보기',
  zh: '这里|点击这里|更多|了解更多|阅读更多|查看更多|這裡|點擊這裡|閱讀更多|查看詳情',
};
const GENERIC_TEXTS = new Map(
  Object.entries(GENERIC).map(([lang, texts]) => [lang, new Set(texts.split('|'))]),
);
/** English texts without another meaning in any language. */
const GENERIC_EVERYWHERE = new Set('click here|read more|learn more|more info'.split('|'));

/** Content encodings that make a body smaller. Another one, such as `UTF-8`, leaves it unchanged. */
const COMPRESSIONS = /(?:^|[\s,])(?:(?:x-)?gzip|compress|deflate|br|zstd)(?:[\s,]|$)/i;

/**
 * Returns facts about the markup and the headers of an HTML page.
 *
 * @param resolve the absolute URL of an address, or null if it is invalid
 */
export function markupFields(
  { url, headers: received }: Pick<Fetched, 'url' | 'headers'>,
  facts: DocumentFacts,
  { links, language }: { readonly links: readonly LinkRecord[]; readonly language: string | null },
  resolve: (href: string, source: LinkSource) => string | null,
) {
  const headers = headerFields(received);
  const sent = readRefresh(headerValues(received, 'refresh').join(', '));
  // Security policies, from headers and meta tags.
  const policies = [
    ...headerValues(received, 'content-security-policy'),
    ...facts.metas.filter(({ name }) => name === 'content-security-policy').map(({ content }) => content),
  ];
  const isSecure = url.startsWith('https:');
  // Browsers then request everything by HTTPS.
  const isUpgraded = policies.some((policy) => /\bupgrade-insecure-requests\b/i.test(policy));
  const isMixed = isSecure && !isUpgraded;
  // A link to the page itself needs no text: it is the permalink of a heading, or leads back to the top.
  const internal = links.filter(({ intern, origin, target }) => intern && origin !== target);
  // The header comes first, and elements of a document that it redirects from are ignored.
  const refresh = sent ?? facts.refresh;
  const led = refresh === null ? null : resolve(refresh.address, sent === null ? 'html' : 'header');
  // A page that reloads itself does not redirect.
  const isElsewhere = led !== null && led !== url && refresh?.address !== '';
  const first = (of: readonly HeaderLink[], rel: string, source: LinkSource): string | null => {
    const link = of.find((link) => link.rel.includes(rel) && link.href !== '');
    return link === undefined ? null : resolve(link.href, source);
  };
  return {
    meta_refresh_location: isElsewhere ? led : null,
    meta_refresh_delay: isElsewhere ? (refresh?.delay ?? null) : null,
    amp_url: first(facts.links, 'amphtml', 'html'),
    header_canonical: first(headerLinks(received, url), 'canonical', 'header'),
    compressed: COMPRESSIONS.test(headers.header_content_encoding ?? ''),
    missing_security_headers: missingHeaders(headers, isSecure, policies.length > 0),
    num_mixed_content: isMixed ? facts.httpResources : 0,
    num_insecure_forms: isMixed ? facts.httpForms : 0,
    num_img_without_size: facts.imagesWithoutSize,
    num_links_without_text: internal.filter(({ anchor }) => anchor === null).length,
    num_links_generic_text: internal.filter(({ anchor }) => anchor !== null && isGeneric(anchor, language))
      .length,
  } satisfies Partial<PageRecord>;
}

function missingHeaders(headers: HeaderFields, isSecure: boolean, hasPolicy: boolean): string[] {
  const missing: string[] = [];
  if (isSecure && headers.header_strict_transport_security === null)
    missing.push('strict-transport-security');
  if (!hasPolicy) missing.push('content-security-policy');
  if (headers.header_x_content_type_options?.toLowerCase() !== 'nosniff')
    missing.push('x-content-type-options');
  return missing;
}

/**
 * Returns whether a link text is generic in the language of its page; in any known language, if the page declares none.
 */
function isGeneric(anchor: string, language: string | null): boolean {
  const text = anchor
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+$/u, '')
    .replace(/^[^\p{L}\p{N}]+/u, '');
  if (GENERIC_EVERYWHERE.has(text)) return true;
  return language === null
    ? GENERIC_TEXTS.values().some((texts) => texts.has(text))
    : GENERIC_TEXTS.get(language)?.has(text) === true;
}
