package org.springframework.garden;

import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** An application in a package of Spring's, as the samples of Spring are. */
public final class GardenApplication {

    private GardenApplication() {}

    @AutoConfigurationPackage
    @Configuration(proxyBeanMethods = false)
    public static class Packages {}

    @Configuration(proxyBeanMethods = false)
    public static class Schedulers {

        @Bean
        TaskScheduler gardenScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }
}
