package io.github.wheelscheduler.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.support.GenericApplicationContext;

/**
 * The catalog watch of Spring Cloud Consul, which has a scheduler of its own, in a class loader of its own. No Consul
 * answers.
 */
final class SpringCloudConsul {

    private static final Path JARS = Path.of("target/spring-cloud");

    private final ClassLoader loader = new URLClassLoader(jars(), SpringCloudConsul.class.getClassLoader());

    private static URL[] jars() {
        try (Stream<Path> files = Files.list(JARS)) {
            return files.map(SpringCloudConsul::urlOf).toArray(URL[]::new);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static URL urlOf(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Returns an application with the catalog watch. */
    static ApplicationContextRunner in(ApplicationContextRunner application) {
        SpringCloudConsul consul = new SpringCloudConsul();
        return application
                .withClassLoader(consul.loader)
                .withInitializer(context -> consul.register((GenericApplicationContext) context))
                .withConfiguration(consul.autoConfiguration());
    }

    /** Its place among others is found by way of the thread's class loader. */
    private AutoConfigurations autoConfiguration() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return AutoConfigurations.of(type("consul.discovery.ConsulCatalogWatchAutoConfiguration"));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private Class<?> type(String name) {
        try {
            return loader.loadClass("org.springframework.cloud." + name);
        } catch (ClassNotFoundException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private void register(GenericApplicationContext context) {
        Object network = create("commons.util.InetUtils", create("commons.util.InetUtilsProperties"));
        Object properties = create("consul.discovery.ConsulDiscoveryProperties", network);
        context.getBeanFactory().registerSingleton("consulDiscoveryProperties", properties);
        Object client = Proxy.newProxyInstance(
                loader, new Class<?>[] {type("consul.ConsulClient")}, (proxy, method, arguments) -> {
                    throw new IllegalStateException("No Consul answers");
                });
        context.getBeanFactory().registerSingleton("consulClient", client);
    }

    private Object create(String name, Object... arguments) {
        try {
            Class<?>[] types = Arrays.stream(arguments).map(Object::getClass).toArray(Class<?>[]::new);
            Constructor<?> constructor = type(name).getConstructor(types);
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
