package io.weir.benchmarks.http;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import io.weir.benchmarks.http.HttpCrowd.Caller;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Measures limits on three nodes over HTTP, in real time: how much of a limit its callers use, how many promises are
 * kept, and how long keys wait beside others of their tenant.
 */
public final class CrowdBench {
  private static final int NODES = 3;
  private static final int SEEDS = 3;
  private static final int CROWDS = 54;
  private static final int HERD = 1000;
  private static final List<String> SMALL =
      List.of("1-own", "10-own", "100-own", "1-tenant", "10-tenant", "100-tenant");
  private static final int SMALL_CROWD = 30;
  private static final int SMALL_SECONDS = 60;
  private static final double PER_SECOND = 100;
  private static final int CONNECTIONS = 400;
  private static final int AGAIN_MILLIS = 10;
  // So that the herds of a row do not come together.
  private static final int APART_SECONDS = 3;

  private final HttpBench http;
  private final PrintWriter out;
  private final List<Map<String, Object>> results = new ArrayList<>();
  private int tenants;

  /** @param http starts the servers */
  public CrowdBench(HttpBench http, PrintWriter out) {
    this.http = http;
    this.out = out;
  }

  /** Measures, prints and returns all rows. */
  public List<Map<String, Object>> measure() throws IOException, InterruptedException {
    http.withNodes(NODES, Traffic.crowds(CROWDS), nodes -> {
      List<Integer> ports = nodes.stream().map(ServerProcess::port).toList();
      try (Clients clients = new Clients(ports)) {
        measure(clients);
      }
    });
    return results;
  }

  /** The same of small and of slow limits alone. */
  public List<Map<String, Object>> measureSmall() throws IOException, InterruptedException {
    http.withNodes(NODES, Traffic.smallLimits(SMALL), nodes -> {
      try (Clients clients = new Clients(nodes.stream().map(ServerProcess::port).toList())) {
        small(clients);
      }
    });
    return results;
  }

  // Closed crowds of limits that hold one or ten operations, all at once. Each limit is used in the
  // half of the run that
  // comes after the first burst.
  private void small(Clients clients) {
    Map<String, HttpCrowd> crowds = new LinkedHashMap<>();
    for (String limit : SMALL) {
      for (boolean tickets : new boolean[] {true, false}) {
        for (int keys : limit.endsWith("tenant") ? new int[] {1, 3} : new int[] {1}) {
          HttpCrowd crowd = clients.crowd(7);
          crowds.put(limit + ", " + keys + (tickets ? ", tickets" : ", whole seconds"), crowd);
          for (int i = 0; i < SMALL_CROWD; i++) {
            String subject = "%s-%s-%d-%d".formatted(limit, tickets, keys, i % keys);
            crowd.comes(
                crowd.random.nextDouble(),
                new Caller(subject, tickets, ReturnWay.AS_TOLD, AGAIN_MILLIS));
          }
        }
      }
    }
    clients.run(2 * SMALL_SECONDS);
    crowds.forEach((name, crowd) -> {
      double perSecond = Double.parseDouble(name.substring(0, name.indexOf('-')));
      row(
          name,
          Map.of(
              "used",
              crowd.used(perSecond, SMALL_SECONDS, 2 * SMALL_SECONDS),
              "attempts",
              crowd.attempts / (double) Math.max(1, crowd.admissions.size())));
    });
  }

  private void measure(Clients clients) {
    run(clients, "warming up", 20, (crowd, who) -> crowd.poisson(60, 0, 15, quiet(who)));
    results.clear();
    loss(clients, "ten", 10, 60);
    loss(clients, "hundred", 100, 200);
    run(clients, "a herd of a key", 20, (crowd, who) -> herd(crowd, who, "alone", HERD));
    run(
        clients,
        "a herd of a key of a tenant",
        20,
        (crowd, who) -> herd(crowd, who, "loud0", HERD));
    run(clients, "2/s beside a herd", 40, (crowd, who) -> {
      herd(crowd, who, "loud0", HERD);
      crowd.poisson(2, 0, 20, quiet(who));
    });
    run(clients, "1.5/s beside herds of 50 keys", 40, (crowd, who) -> {
      for (int i = 0; i < 50; i++) {
        herd(crowd, who, "loud" + i, HERD / 50);
      }
      crowd.poisson(1.5, 0, 20, quiet(who));
    });
    run(clients, "2/s and 30/s beside 300/s", 80, (crowd, who) -> {
      crowd.poisson(300, 0, 15, who.with("loud0"));
      crowd.poisson(2, 0, 15, quiet(who));
      crowd.poisson(30, 0, 15, who.with("quiet1"));
    });
    run(clients, "2/s beside 100/s that never return", 40, (crowd, who) -> {
      crowd.poisson(
          100, 0, 30, new Caller(who.subject("loud0"), who.tickets(), ReturnWay.NEVER, 0));
      crowd.poisson(2, 5, 30, quiet(who));
    });
    run(clients, "ten equal keys", 60, (crowd, who) -> {
      for (int i = 0; i < 10; i++) {
        crowd.poisson(13, 0, 20, who.with("quiet" + i));
      }
    });
  }

  /** The tenant of a crowd, and whether its callers want tickets. */
  private record Who(int tenant, boolean tickets) {
    String subject(String name) {
      return "c%d-%s".formatted(tenant, name);
    }

    Caller with(String name) {
      return new Caller(subject(name), tickets, ReturnWay.AS_TOLD, 0);
    }
  }

  private static Caller quiet(Who who) {
    return who.with("quiet0");
  }

  private static void herd(HttpCrowd crowd, Who who, String name, int callers) {
    for (int i = 0; i < callers; i++) {
      crowd.comes(crowd.random.nextDouble(), who.with(name));
    }
  }

  // An admitted caller asks again at once. The admissions are compared with those without slots.
  private void loss(Clients clients, String limit, double perSecond, int callers) {
    Map<String, HttpCrowd> crowds = new LinkedHashMap<>();
    for (ReturnWay way : List.of(
        ReturnWay.AS_TOLD, ReturnWay.FIXED_1_S, ReturnWay.FIXED_2_5_S, ReturnWay.EXPONENTIAL)) {
      for (String mode : List.of("off", "0", "50", "100")) {
        HttpCrowd crowd = clients.crowd(7);
        crowds.put(way + " " + mode, crowd);
        String subject = "%s-%s-%s".formatted(limit, way, mode);
        int withTickets = mode.equals("off") ? 0 : Integer.parseInt(mode);
        for (int i = 0; i < callers; i++) {
          Caller caller = new Caller(subject, i % 100 < withTickets, way, AGAIN_MILLIS);
          crowd.comes(crowd.random.nextDouble(), caller);
        }
      }
    }
    clients.run(40);
    crowds.forEach((name, crowd) -> {
      double used = crowd.used(perSecond, 10, 40);
      String off = name.substring(0, name.indexOf(' ')) + " off";
      double part = used / requireNonNull(crowds.get(off)).used(perSecond, 10, 40);
      row(
          "%s/s, %d callers, %s".formatted(perSecond, callers, name),
          Map.of("used", used, "besideOff", part));
    });
  }

  private void run(Clients clients, String name, int seconds, BiConsumer<HttpCrowd, Who> script) {
    Map<Who, HttpCrowd> crowds = new LinkedHashMap<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      for (boolean tickets : new boolean[] {true, false}) {
        Who who = new Who(tenants++, tickets);
        HttpCrowd crowd = clients.crowd(seed);
        crowds.put(who, crowd);
        script.accept(crowd, who);
        pause(APART_SECONDS);
      }
    }
    clients.run(seconds);
    crowds.forEach((who, crowd) -> judge(name + (who.tickets() ? ", tickets" : ""), crowd));
  }

  private void judge(String name, HttpCrowd crowd) {
    double last = crowd.last();
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("admitted", crowd.admissions.size());
    figures.put("attempts", crowd.attempts / (double) Math.max(1, crowd.admissions.size()));
    figures.put("last", last);
    figures.put("used", (crowd.admissions.size() - PER_SECOND) / (PER_SECOND * last));
    figures.put("promised", crowd.promised);
    figures.put("broken", crowd.broken);
    figures.put("quietP95", crowd.waited("quiet", 0.95));
    figures.put("quietMax", crowd.waited("quiet", 1));
    row(name, figures);
  }

  private void row(String name, Map<String, Object> figures) {
    Map<String, Object> row = new LinkedHashMap<>(Map.of("row", name));
    row.putAll(figures);
    results.add(row);
    StringBuilder text = new StringBuilder("%-44s".formatted(name));
    figures.forEach((what, value) -> text.append(
        value instanceof Double number
            ? String.format(Locale.ROOT, "  %s %.3f", what, number)
            : "  %s %s".formatted(what, value)));
    out.println(text);
    out.flush();
  }

  private static void pause(int seconds) {
    CompletableFuture.runAsync(
            () -> {}, CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS))
        .join();
  }

  /** One event loop with all crowds of a row. */
  private static final class Clients implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final HttpClient client = vertx.createHttpClient(
        new HttpClientOptions().setKeepAlive(true), new PoolOptions().setHttp1MaxSize(CONNECTIONS));
    private final List<Integer> ports;

    private final List<HttpCrowd> crowds = new ArrayList<>();

    Clients(List<Integer> ports) {
      this.ports = ports;
    }

    HttpCrowd crowd(long seed) {
      HttpCrowd crowd = new HttpCrowd(vertx, client, ports, seed);
      crowds.add(crowd);
      return crowd;
    }

    /** Lets them come for so long; whoever is not admitted then never is. */
    void run(int seconds) {
      pause(seconds);
      crowds.forEach(HttpCrowd::end);
      pause(1);
      crowds.clear();
    }

    @Override
    public void close() {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }
}
