import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.Map;

/** A catalog without anything in it: it has a configuration, and lists no namespaces. */
public class Server {
    private static final Map<String, String> ANSWERS = Map.of(
        "GET /v1/config", "{\"defaults\":{},\"overrides\":{},\"endpoints\":[\"GET /v1/{prefix}/namespaces\"]}",
        "GET /v1/namespaces", "{\"namespaces\":[]}");
    private static final String MISSING = "{\"error\":{\"message\":\"no such path\",\"type\":\"NotFoundException\",\"code\":404}}";

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            String answer = ANSWERS.get(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
            boolean head = exchange.getRequestMethod().equals("HEAD");
            byte[] body = (answer == null ? MISSING : answer).getBytes("UTF-8");
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer == null ? 404 : 200, head ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        server.start();
    }
}
