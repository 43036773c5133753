import { lookUp } from '../../../core/text/look-up.ts';
import { isAddressChain } from '../client-address.ts';
import { isStatus } from '../request-parts.ts';
import { isSiteHost } from './further-fields.ts';
import { isHeader, type JsonLog, type JsonRecord, type MappedField, parseJsonLine } from './json-format.ts';

/**
 * Keys that servers, frameworks and log shippers use for the properties of a request, without punctuation and in lower
 * case. If a record has several keys for one field, the first one in this list counts: the client's value comes before
 * the server's.
 */
const KEYS: Readonly<Record<Exclude<MappedField, 'port'>, string>> = {
  time: 'timeiso8601 timelocal starttime requesttime requesttimeepoch reqtimesec starttimestamp time timestamp ts datetime date msec eventtime epoch',
  address:
    'remoteaddr remoteip remoteaddress clientip clientaddress clientaddr clienthost sourceip sourceaddress srcip cip cliip downstreamremoteaddress ip client remotehost remote fwd',
  forwarded:
    'forwarded httpforwarded xforwardedfor httpxforwardedfor proxyaddxforwardedfor forwardedfor xff xrealip httpxrealip realip cfconnectingip httpcfconnectingip trueclientip',
  scheme: 'xforwardedproto httpxforwardedproto scheme requestscheme urlscheme protocol proto',
  host: 'httphost httphostname requesthost reqhost authority vhost virtualhost domainname domain urldomain host servername',
  method: 'requestmethod httpmethod httprequestmethod reqmethod method verb',
  url: 'requesturi xenvoyoriginalpath xenvoyoriginpath originalurl urloriginal urlfull requesturl httpurl url uri requestpath reqpath urlpath uripath path target',
  query: 'querystring querystr urlquery args query',
  request: 'requestline request httprequest',
  status:
    'statuscode responsestatus responsestatuscode responsecode httpstatus httpstatuscode httpresponsestatuscode httpresponsecode respstatus status',
  bytes:
    'bodybytessent bytessent responsebytes responsesize responselength httpresponsebodybytes bytes bytesout size contentlength length totalbytes',
  referer: 'httpreferer httpreferrer httprequestreferrer requestreferer requestreferrer referer referrer',
  agent: 'httpuseragent useragentoriginal requestuseragent useragent ua agent',
};
/** Objects whose members are treated like those of the record. */
const CONTAINERS =
  /^(?:(?:http)?req(?:uest)?|res(?:ponse)?|(?:request|response)?headers|http|jsonpayload|event|log|fields|attributes|data|nginx|apache|access|accesslog|context|extra|meta)$/;

type NamedField = keyof typeof KEYS;
const RANKS: ReadonlyMap<string, { readonly field: NamedField; readonly rank: number }> = new Map(
  Object.entries(KEYS).flatMap(([field, names]) =>
    names.split(' ').map((name, rank) => [name, { field: field as NamedField, rank }] as const),
  ),
);
const DEEPEST = 5;
/** Keys of Cloudflare, Traefik, Vercel, Google, Azure and CloudFront. */
const OWNED = ['EdgeResponseStatus', 'DownstreamStatus', 'proxy', 'httpRequest', 'properties', 'sc-status'];

/**
 * Checks whether a value fits its key. In some logs, `status` is a log level, `request` a number, or `host` the server.
 */
const IS_OF: Readonly<Partial<Record<NamedField, (value: string) => boolean>>> = {
  time: (value) => /^\d{9,19}(?:\.\d+)?$/.test(value) || /\d:\d\d/.test(value),
  address: isAddressChain,
  host: isSiteHost,
  method: (value) => /^[A-Z]{3,20}$/i.test(value),
  request: (value) => /^[A-Z]+ \S/.test(value),
  status: isStatus,
  bytes: (value) => /^\d+$/.test(value),
  scheme: (value) => /^(?:https?|wss?)$/i.test(value),
};

/** Returns fields of a record by the names of its keys; undefined if it is not a record. */
function namedFields(record: JsonRecord | undefined): JsonRecord | undefined {
  if (record === undefined || hasOwner(record)) return undefined;
  const fields = new Map<NamedField, unknown>();
  const ranks = new Map<NamedField, number>();
  const take = (name: string, value: unknown): void => {
    const known = RANKS.get(name);
    if (known === undefined || known.rank >= (ranks.get(known.field) ?? Number.POSITIVE_INFINITY)) return;
    const { field, rank } = known;
    const plain = Array.isArray(value) && field !== 'forwarded' ? value[0] : value;
    const text = String(plain ?? '');
    const isEmpty = text === '' || text === '-';
    if (isEmpty || typeof plain === 'object') {
      if (isEmpty && isHeader(field) && !fields.has(field)) fields.set(field, null);
      if (!Array.isArray(plain)) return;
    } else if (lookUp(IS_OF, field)?.(text) === false) return;
    fields.set(field, plain);
    ranks.set(field, rank);
  };
  const walk = (members: JsonRecord, path: string, depth: number, isOpen: boolean): void => {
    for (const [key, value] of Object.entries(members)) {
      const name = key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
      take(path + name, value);
      if (path !== '' && isOpen) take(name, value);
      if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === DEEPEST) continue;
      walk(value as JsonRecord, path + name, depth + 1, isOpen && CONTAINERS.test(name));
    }
  };
  walk(record, '', 0, true);
  return Object.fromEntries(fields);
}

/** Returns whether a format of its own reads a record; that format may find that it is not a request. */
function hasOwner(record: JsonRecord): boolean {
  const { logger, msg } = record;
  return (
    OWNED.some((key) => Object.hasOwn(record, key)) || /^http\.log|^handled request$/.test(`${logger ?? msg}`)
  );
}

/** Pairs such as `method=GET path="/a b"`, as written by Heroku's router and programs in Go. */
const PAIR = /([\w.@-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))(?:\s+|$)/y;

function parsePairs(text: string): JsonRecord | undefined {
  const pairs: [string, string][] = [];
  PAIR.lastIndex = 0;
  for (let at = 0; at < text.length; at = PAIR.lastIndex) {
    const [, key, quoted, plain] = PAIR.exec(text) ?? [];
    if (key === undefined) return undefined;
    pairs.push([key, quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain ?? '']);
  }
  return Object.fromEntries(pairs);
}

function namedLog(parse: (text: string) => JsonRecord | undefined): JsonLog {
  return {
    map: Object.fromEntries(Object.keys(KEYS).map((field) => [field, field])),
    parse: (text) => namedFields(parse(text)),
    isRequest: ({ url, request, status }) => (url ?? request ?? status) !== undefined,
  };
}

/** Records with named fields, from any program. */
export const NAMED_LOGS: Readonly<Record<string, JsonLog>> = {
  json: namedLog(parseJsonLine),
  logfmt: namedLog(parsePairs),
};
