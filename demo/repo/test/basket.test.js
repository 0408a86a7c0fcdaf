import assert from "node:assert/strict";
import { test } from "node:test";
import { subtotal, total } from "../src/basket.js";

const basket = [
  { name: "coffee", priceCents: 350, quantity: 2 },
  { name: "cake", priceCents: 400, quantity: 1 },
];

test("an empty basket costs nothing", () => {
  assert.equal(subtotal([]), 0);
});

test("a line counts as often as its quantity says", () => {
  assert.equal(subtotal(basket), 1100);
});

test("a discount code takes its percentage off", () => {
  assert.equal(total(basket, "WELCOME10"), 990);
});

test("an unknown code takes nothing off", () => {
  assert.equal(total(basket, "NOPE"), 1100);
});
