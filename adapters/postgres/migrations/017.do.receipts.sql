-- For receipts of purchases: what was paid in all, with tax, and the processor's own receipt. Null for sales of versions before.
alter table sales add column total_cents bigint, add column receipt_url text;
