/** Money has two digits, and four where two would say nothing. */
export function sayMoney(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`
}
