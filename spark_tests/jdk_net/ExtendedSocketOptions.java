package jdk.net;

import java.net.SocketOption;

/** Stands in for a class of the module jdk.net, on a runtime without it: names of options that no socket has. */
public final class ExtendedSocketOptions {
    public static final SocketOption TCP_KEEPIDLE = null;
    public static final SocketOption TCP_KEEPINTERVAL = null;
    public static final SocketOption TCP_KEEPCOUNT = null;

    private ExtendedSocketOptions() {
    }
}
