package io.github.wheelscheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keyed timers, idle timeouts and leases run where there is no Spring. */
class TimersWithoutSpringTest {

    private static final Pattern NEEDED =
            Pattern.compile(".*/(wheel-scheduler-core/|wheel-scheduler-timers/|jctools-core-).*");

    @Test
    void timersRunWithoutSpringOnTheClassPath() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (NEEDED.matcher(entry.replace(File.separatorChar, '/')).matches()) {
                classPath.add(new File(entry).toURI().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Callable<?> program = (Callable<?>) loader.loadClass("io.github.wheelscheduler.TimersWithoutSpring")
                    .getDeclaredConstructor()
                    .newInstance();
            assertThat(program.call()).isEqualTo("key, idle, RENEWED");
        }
    }
}
