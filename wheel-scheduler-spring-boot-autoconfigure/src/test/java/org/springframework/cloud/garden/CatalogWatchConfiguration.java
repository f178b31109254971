package org.springframework.cloud.garden;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** A scheduler as modules of Spring Cloud declare theirs, such as the catalog watch of Spring Cloud Consul. */
@Configuration(proxyBeanMethods = false)
public class CatalogWatchConfiguration {

    @Bean(name = "catalogWatchTaskScheduler")
    public TaskScheduler catalogWatchTaskScheduler() {
        return new ThreadPoolTaskScheduler();
    }
}
