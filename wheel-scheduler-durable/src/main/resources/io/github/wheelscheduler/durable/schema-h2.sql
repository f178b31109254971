-- The table of durable tasks; its columns are those of db-scheduler, and some of our own at the end.
create table if not exists wheel_durable_task (
    task_name varchar(250) not null,
    task_instance varchar(250) not null,
    task_data varbinary,
    execution_time timestamp(9) with time zone not null,
    picked boolean not null,
    picked_by varchar(50),
    last_success timestamp(9) with time zone,
    last_failure timestamp(9) with time zone,
    consecutive_failures int,
    last_heartbeat timestamp(9) with time zone,
    version bigint not null,
    priority smallint,
    failure varchar,
    paused boolean default false not null,
    schedule varchar,
    regular_time timestamp(9) with time zone,
    primary key (task_name, task_instance)
);
create index if not exists wheel_durable_task_due on wheel_durable_task (execution_time);
create index if not exists wheel_durable_task_heartbeat on wheel_durable_task (last_heartbeat);
