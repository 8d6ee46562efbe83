-- What preflight needs to judge the length of a text and the address of a button as Telegram does.

alter table outrider.platforms
  add column drops text not null default '',
  add column dotted_hosts_only boolean not null default false;

comment on column outrider.platforms.drops is 'characters that the platform takes out of a text before it counts it';
comment on column outrider.platforms.dotted_hosts_only is 'a button leads to a host with a dot in its name, or to an IPv6 address';

update outrider.platforms set
  drops = e'\r\u030a\u0333\u033f\u2028\u2029\u202a\u202b\u202c\u202d\u202e', dotted_hosts_only = true
where platform = 'telegram';
