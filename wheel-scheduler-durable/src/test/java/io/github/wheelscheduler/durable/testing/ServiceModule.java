package io.github.wheelscheduler.durable.testing;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.Callable;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

/** A module that a class path has, as it has that of Kotlin, while something is called. */
public final class ServiceModule extends SimpleModule {

    public static final String NAME = "of the class path";

    private static final long serialVersionUID = 1L;
    private static final String SERVICE = "META-INF/services/" + JacksonModule.class.getName();

    public ServiceModule() {
        super(NAME);
    }

    public static <T> T withService(Callable<T> call) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(new ClassLoader(before) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                return name.equals(SERVICE)
                        ? Collections.enumeration(List.of(text(ServiceModule.class.getName())))
                        : super.getResources(name);
            }
        });
        try {
            return call.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL text(String text) throws IOException {
        return new URL(null, "text:service", new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                return new URLConnection(url) {
                    @Override
                    public void connect() {}

                    @Override
                    public InputStream getInputStream() {
                        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
                    }
                };
            }
        });
    }
}
