package jdk.net;

import java.net.SocketOption;
import java.util.Collections;
import java.util.Set;

/** Stands in for a class of the module jdk.net, on a runtime without it: no socket has an extended option. */
public final class Sockets {
    private Sockets() {
    }

    public static Set supportedOptions(Class kind) {
        return Collections.emptySet();
    }

    public static void setOption(java.net.Socket socket, SocketOption option, Object value) {
        throw new UnsupportedOperationException(option.name());
    }
}
