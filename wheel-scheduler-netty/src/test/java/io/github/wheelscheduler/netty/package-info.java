/** Tests of Netty's timer on a wheel: the contract that it shares with Netty's own, and what is more. */
@NullMarked
package io.github.wheelscheduler.netty;

import org.jspecify.annotations.NullMarked;
