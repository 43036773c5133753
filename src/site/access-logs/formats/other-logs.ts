/** Logs that are often mistaken for an access log, by how their lines begin, with a hint. */
const OTHERS: readonly (readonly [begin: RegExp, what: string, hint: string])[] = [
  [
    /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[\w+\] \d+#\d+: /,
    'it is an error log of nginx',
    'add the file that access_log names',
  ],
  [
    /^\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? \d{4}\] \[/,
    'it is an error log of Apache',
    'add the file that CustomLog names',
  ],
  [
    /^\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d/,
    'it is a log of PHP',
    'add the access log of the web server',
  ],
  [
    /\bhaproxy\[\d+\]: (?:Connect from |\S+ \[[^\]]+\] \S+ \S+ -?\d+\/-?\d+\/\+?-?\d+ )/,
    "it is HAProxy's log of connections, without their requests",
    'set `option httplog`, and add that log',
  ],
  [
    /^tls \d\.\d \d{4}-|^\d{4}-\S+ \S+ \S+:\d+ .* "- - - ?" /,
    'it is a log of the connections of a load balancer, without their requests',
    'add the log of an Application Load Balancer, or of the web server',
  ],
  [/^\[#\|/, "it is GlassFish's server log", 'add the file in its folder access'],
  [
    /^\s*\d{10}\.\d{3}\s+-?\d+ \S+ [A-Z_]+\/\d{3} /,
    "it is Squid's native log",
    'configure Squid with `logformat combined`, and add that log',
  ],
  [/^\s*<(?:\?xml|!doctype|html|Events?\b)/i, 'it is XML or HTML', 'add the log as text'],
  [
    /^\{"Records":\[|"eventVersion":/,
    "it is CloudTrail's log of API calls",
    'add the logs of CloudFront, S3 or the load balancer',
  ],
  [
    /^\S+ [A-Z]+: {2,}\S+:\d+ - "|^INFO:\s+\S+:\d+ - "/,
    'it is the console of uvicorn, which has no time',
    'configure uvicorn to log the time, and name its format',
  ],
  [/^%PDF-/, 'it is a PDF', 'export the log as text'],
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds them
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;
/** Columns of W3C without the line that declares them. */
const NAMELESS = /^\d{4}-\d\d-\d\d[ \t]\d\d:\d\d:\d\d[ \t](?:\S+[ \t]){6}/;
/** A request in quotation marks without a status after it. */
const NO_STATUS = /"[A-Z]{3,8} \S+ HTTP\/[\d.]+" (?!"?\d{3}\b)/;

/** Returns a description of lines that fit no format, with a hint; undefined if they are unknown. */
export function otherLog(
  lines: readonly string[],
): { readonly what: string; readonly hint: string } | undefined {
  const written = lines.filter((line) => !line.startsWith('#'));
  const fields = lines.findLast((line) => /^#fields:/i.test(line));
  if (fields !== undefined) return lackOf(fields, lines);
  const isMost = (shape: RegExp): boolean =>
    written.length > 0 && written.filter((one) => shape.test(one)).length * 2 >= written.length;
  const known = OTHERS.find(([begin]) => isMost(begin));
  if (known !== undefined) return { what: known[1], hint: known[2] };
  if (isMost(BINARY)) return { what: 'it is not text', hint: 'unpack or export it as text' };
  if (isMost(NAMELESS))
    return {
      what: 'it has W3C columns, but no #Fields: line',
      hint: 'copy the #Fields: line from the beginning of the log to the top of the file',
    };
  if (isMost(NO_STATUS))
    return {
      what: 'its requests have no status',
      hint: 'add a log that contains the status of each request, such as one in the combined format',
    };
  return undefined;
}

/** Returns the columns that a W3C log lacks. */
function lackOf(fields: string, lines: readonly string[]): { readonly what: string; readonly hint: string } {
  const names = fields.toLowerCase().split(/\s+/).slice(1);
  const has = (any: RegExp): boolean => names.some((name) => any.test(name));
  const hasDay =
    has(/^(?:date|date-local|beginrequest-utc|timestamp.*)$/) || lines.some((line) => /^#date:/i.test(line));
  const lacks = [
    ...(hasDay ? [] : ['the date']),
    ...(has(/^(?:time|time-local|beginrequest-utc|timestamp.*)$/) ? [] : ['the time']),
    ...(has(/^cs-uri(?:-stem)?$/) ? [] : ['the URL']),
    ...(has(/^sc-status$/) ? [] : ['the status']),
  ];
  if (lacks.length === 0)
    return { what: 'its lines do not have the columns of the #Fields: line', hint: 'copy the log again' };
  return {
    what: `its columns lack ${lacks.join(', ')}: ${names.slice(0, 30).join(' ')}`,
    hint: hasDay
      ? 'configure the server to log the columns date, time, cs-uri-stem and sc-status'
      : 'configure IIS to log the column date, or add a line such as #Date: 2026-11-10 00:00:00 at the top',
  };
}
