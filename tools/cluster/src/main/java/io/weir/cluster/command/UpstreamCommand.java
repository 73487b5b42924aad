package io.weir.cluster.command;

import io.weir.cluster.local.DemoUpstream;
import io.weir.node.command.PrintingCommand;
import io.weir.node.command.WeirCommand;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir demo upstream}: the upstream of a demo. */
@Command(
    name = "upstream",
    description =
        "Runs a service that answers every request with a description of it, until it is stopped.",
    sortOptions = false,
    versionProvider = WeirCommand.Version.class)
final class UpstreamCommand extends PrintingCommand {
  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "address to listen on (${DEFAULT-VALUE})")
  private String host = "";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "9000",
      description = "port to listen on (${DEFAULT-VALUE})")
  private int port;

  @Override
  public Integer call() throws InterruptedException {
    DemoUpstream upstream = DemoUpstream.start(host, port);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      upstream.close();
      stopped.countDown();
    }));
    out().printf("demo upstream ready on http://%s:%d%n", host, port);
    out().flush();
    stopped.await();
    return 0;
  }
}
