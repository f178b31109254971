-- The table of durable tasks; its columns are those of db-scheduler, and some of our own at the end. Times are those of UTC.
-- The indexes keep their names where the table has another one: a claim names that of what is due.
create table if not exists wheel_durable_task (
    task_name varchar(250) not null,
    task_instance varchar(250) not null,
    task_data longblob,
    execution_time datetime(6) not null,
    picked boolean not null,
    picked_by varchar(50),
    last_success datetime(6),
    last_failure datetime(6),
    consecutive_failures int,
    last_heartbeat datetime(6),
    version bigint not null,
    priority smallint,
    failure longtext,
    paused boolean default false not null,
    schedule longtext,
    regular_time datetime(6),
    primary key (task_name, task_instance),
    index wheel_durable_task_due (picked, execution_time),
    index wheel_durable_task_heartbeat (picked, last_heartbeat)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
