/** A text with the escapes of URLs resolved: `%2enpmrc` is `.npmrc`. */
export function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString(),
  );
}
