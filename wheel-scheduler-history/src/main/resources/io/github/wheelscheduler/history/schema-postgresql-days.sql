-- The table of runs with a partition for each day of UTC, for nodes that may make tables; schema-postgresql.sql follows.
create sequence if not exists wheel_history_run_id;
create table if not exists wheel_history_run (
    id bigint default nextval('wheel_history_run_id') not null,
    noted_at timestamp with time zone not null,
    task varchar(250) not null,
    instance varchar(250),
    scheduler varchar(250) not null,
    node varchar(50) not null,
    due timestamp with time zone,
    started timestamp with time zone,
    micros bigint,
    outcome smallint not null,
    runs bigint default 1 not null,
    attempt int default 1 not null,
    cause smallint default 0 not null,
    by_whom varchar(250),
    detail varchar(50),
    trace_id varchar(64),
    failure varchar(250),
    message varchar(200),
    kind varchar(32)
) partition by range (noted_at);
create table if not exists wheel_history_run_rest partition of wheel_history_run default;
