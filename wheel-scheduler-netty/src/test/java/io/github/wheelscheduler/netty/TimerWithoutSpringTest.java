package io.github.wheelscheduler.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Timeouts of the Netty timer run where there is no Spring. */
class TimerWithoutSpringTest {

    private static final Pattern NEEDED =
            Pattern.compile(".*/(wheel-scheduler-core/|wheel-scheduler-netty/|jctools-core-|netty-common-).*");

    @Test
    void timeoutsRunWithoutSpringOnTheClassPath() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (NEEDED.matcher(entry.replace(File.separatorChar, '/')).matches()) {
                classPath.add(new File(entry).toURI().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Callable<?> program = (Callable<?>) loader.loadClass("io.github.wheelscheduler.netty.TimerWithoutSpring")
                    .getDeclaredConstructor()
                    .newInstance();
            assertThat(program.call()).isEqualTo("expired");
        }
    }
}
