import { discountFor } from "./discounts.js";

/** What the basket costs, in cents, before discounts. */
export function subtotal(lines) {
  let cents = 0;
  for (const line of lines) {
    cents += line.priceCents;
  }
  return cents;
}

/** What the customer pays, in cents. */
export function total(lines, code) {
  const cents = subtotal(lines);
  return cents - discountFor(code, cents);
}
