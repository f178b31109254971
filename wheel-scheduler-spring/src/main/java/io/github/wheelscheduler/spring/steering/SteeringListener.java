package io.github.wheelscheduler.spring.steering;

/**
 * Receives each steering, refused ones too, on the thread that steers. With Spring Boot, each bean of this type
 * receives every steering over HTTP and JMX, and calls in Java that were {@linkplain SteeredBy given a name}. It should
 * be quick. If it throws, that is logged, and the steering takes place.
 */
@FunctionalInterface
public interface SteeringListener {

    /** Something was steered, or that was refused. */
    void steered(Steering steering);
}
