-- The tables of durable tasks. The first columns have the names that db-scheduler gives them; its Scheduler must not run on this table.
create table if not exists wheel_durable_task (
    task_name varchar(250) not null,
    task_instance varchar(250) not null,
    task_data bytea,
    execution_time timestamp with time zone not null,
    state smallint default 0 not null,
    owner bigint,
    version bigint default 1 not null,
    first_time timestamp with time zone,
    last_success timestamp with time zone,
    last_failure timestamp with time zone,
    consecutive_failures int,
    failure text,
    unreadable int,
    suspicions int,
    marked boolean,
    deaths int,
    paused boolean default false not null,
    schedule text,
    regular_time timestamp with time zone,
    known_at timestamp with time zone,
    next_time timestamp with time zone,
    next_data bytea,
    asked_to_end boolean,
    replaced text,
    format varchar(50),
    next_format varchar(50),
    earlier_attempts int,
    retries int,
    back_off_millis bigint,
    max_back_off_millis bigint,
    next_retries int,
    next_back_off_millis bigint,
    next_max_back_off_millis bigint,
    made_for varchar(250),
    declared text,
    by_hand varchar(250),
    traceparent varchar(100),
    tracestate text,
    baggage text,
    failed_traceparent varchar(100),
    origin_version bigint,
    next_traceparent varchar(100),
    next_tracestate text,
    next_baggage text,
    next_origin_version bigint,
    primary key (task_name, task_instance)
);
create index if not exists wheel_durable_task_due on wheel_durable_task (task_name, execution_time) where state = 0;
create index if not exists wheel_durable_task_kept on wheel_durable_task (state, task_name, execution_time) where state > 1;
create index if not exists wheel_durable_task_owner on wheel_durable_task (owner) where owner is not null;
create table if not exists wheel_durable_task_node (
    incarnation bigint primary key,
    name varchar(50) not null,
    state smallint not null,
    beat bigint not null,
    beat_at timestamp with time zone not null,
    full_looks bigint default 0 not null,
    asked bigint default 0 not null,
    layout int,
    oldest_layout int,
    handlers text,
    schedules text
);
insert into wheel_durable_task_node (incarnation, name, state, beat, beat_at, layout, oldest_layout)
    select 0, 'layout', 9, 0, current_timestamp, 2, 1
    where not exists (select 1 from wheel_durable_task_node where incarnation = 0);
-- Tells the nodes of a row that is due now and has been committed: for programs that are no node.
create or replace function wheel_durable_task_nudge() returns void language sql set search_path from current as
    $$ select pg_notify('wheel_durable_' || 'wheel_durable_task'::regclass::oid, 'look') $$;
