declare module 'rison' {
  interface Parser {
    parse(text: string): unknown;
    error(message: string): undefined;
  }
  const rison: {
    encode(value: unknown): string;
    parser: new () => Parser;
  };
  export default rison;
}
