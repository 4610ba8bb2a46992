-- What belongs to the database as a whole: at most one row.
create table installation (
  only_one boolean primary key default true check (only_one),
  -- Of the pepper that the hashes of all keys are stirred with; not the pepper.
  pepper_fingerprint bytea not null check (octet_length(pepper_fingerprint) = 32)
);
