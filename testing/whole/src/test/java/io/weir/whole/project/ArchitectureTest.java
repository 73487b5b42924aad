package io.weir.whole.project;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The dependencies between modules, and the one package for each library. */
@Tag("once")
final class ArchitectureTest {
  private static final String CORE = "io.weir.core..";
  private static final String ANSWER = "io.weir.client.answer..";

  /** The packages of a library, and the only packages of ours that may use them. */
  private static final Map<String, List<String>> USERS = Map.ofEntries(
      Map.entry(
          "io.lettuce..",
          List.of(
              "io.weir.state.connection",
              "io.weir.state.wire",
              "io.weir.state.lane",
              "io.weir.state.hold",
              "io.weir.state.inspect",
              "io.weir.state.audit",
              "io.weir.state.policy", // as programs follow it
              "io.weir.adapters.bucket4j",
              "io.weir.batch",
              "io.weir.keys.store",
              "io.weir.jobs.store",
              "io.weir.providers.store")),
      Map.entry("org.redisson..", List.of("io.weir.state.policy")),
      Map.entry(
          "com.fasterxml..",
          List.of(
              "io.weir.state.document",
              "io.weir.node.json",
              "io.weir.node.check",
              "io.weir.keys.command", // CSV
              "io.weir.client.check",
              "io.weir.client.window",
              "io.weir.batch")),
      Map.entry(
          "com.github.benmanes..",
          List.of("io.weir.node.auth", "io.weir.keys.directory", "io.weir.keys.identity")),
      Map.entry("com.nimbusds..", List.of("io.weir.keys.identity")),
      Map.entry("org.apache.datasketches..", List.of("io.weir.operators.top")),
      Map.entry("io.opentelemetry..", List.of("io.weir.operators.traces")),
      Map.entry("com.github.difflib..", List.of("io.weir.node.admin")),
      Map.entry("org.yaml..", List.of("io.weir.state.document")),
      Map.entry("redis.embedded..", List.of("io.weir.embedded")),
      Map.entry(
          "io.micrometer..",
          List.of(
              "io.weir.node",
              "io.weir.node.metrics",
              "io.weir.node.extension", // the registry, for the metrics of extensions
              "io.weir.client.metrics",
              "io.weir.jobs.work",
              "io.weir.jobs",
              "io.weir.providers",
              "io.weir.providers.queue",
              "io.weir.keys.directory",
              "io.weir.operators.live",
              "io.weir.operators.rehearsal",
              "io.weir.operators.status",
              "io.weir.operators.warning",
              "io.weir.spring",
              "io.weir.windows")),
      Map.entry(
          "io.github.resilience4j..",
          List.of(
              "io.weir.client.retry",
              "io.weir.state.degraded",
              "io.weir.providers.slot",
              "io.weir.adapters.resilience4j")),
      Map.entry(
          "io.github.bucket4j..", List.of("io.weir.state.degraded", "io.weir.adapters.bucket4j")),
      Map.entry("org.knowm..", List.of("io.weir.cluster.local")),
      Map.entry(
          "picocli..",
          List.of(
              "io.weir.node.command",
              "io.weir.cluster.command",
              "io.weir.keys.command",
              "io.weir.operators.command",
              "io.weir.operators.replay",
              "io.weir.jobs.door")),
      Map.entry(
          "io.netty..",
          List.of(
              "io.weir.state.wire", // the bytes of keys and arguments
              "io.weir.state.connection", // the event loops of connections
              "io.weir.state.lane",
              "io.weir.node", // its event loops
              "io.weir.node.auth", // addresses
              "io.weir.node.intake",
              "io.weir.node.upstream",
              "io.weir.spring.web"))); // the event loop of a request's connection

  /** The root package of each module. */
  private static final Map<String, String> ROOTS = Map.ofEntries(
      Map.entry("core", "io.weir.core"),
      Map.entry("in-memory", "io.weir.inmemory"),
      Map.entry("testing/testkit", "io.weir.testkit"),
      Map.entry("tools/embedded", "io.weir.embedded"),
      Map.entry("shared-state", "io.weir.state"),
      Map.entry("java/library", "io.weir.library"),
      Map.entry("java/adapters", "io.weir.adapters"),
      Map.entry("java/spring", "io.weir.spring"),
      Map.entry("node/service", "io.weir.node"),
      Map.entry("work/batch", "io.weir.batch"),
      Map.entry("work/jobs", "io.weir.jobs"),
      Map.entry("work/providers", "io.weir.providers"),
      Map.entry("node/keys", "io.weir.keys"),
      Map.entry("node/operators", "io.weir.operators"),
      Map.entry("work/windows", "io.weir.windows"),
      Map.entry("node/program", "io.weir.program"),
      Map.entry("java/client", "io.weir.client"),
      Map.entry("tools/cluster", "io.weir.cluster"),
      Map.entry("tools/benchmarks", "io.weir.benchmarks"));

  // From the folders, as not every module is on the class path of one; those that are not built are
  // left out.
  private static final JavaClasses CLASSES = new ClassFileImporter()
      .importPaths(ROOTS.keySet().stream()
          .filter(module ->
              !module.equals("tools/benchmarks")) // it compares every library with every other
          .map(module -> BuildFolder.of(module).resolve("classes"))
          .filter(Files::isDirectory)
          .toList());

  private static final String PROVIDERS = "io.weir.providers..";

  private static final String[] EXTENSION_PACKAGES = {
    "io.weir.batch..",
    "io.weir.operators..",
    "io.weir.jobs..",
    "io.weir.keys..",
    PROVIDERS,
    "io.weir.windows.."
  };

  static Set<String> modules() {
    return ROOTS.keySet();
  }

  static Set<String> libraries() {
    return USERS.keySet();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void eachLibraryIsUsedInFewPackages(String library) {
    String[] users = USERS.getOrDefault(library, List.of()).toArray(String[]::new);
    noClasses()
        .that()
        .resideOutsideOfPackages(users)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .check(CLASSES);
    assertThat(CLASSES.stream()
            .anyMatch(ours -> ours.getDirectDependenciesFromSelf().stream()
                .anyMatch(
                    dependency -> resideInAPackage(library).test(dependency.getTargetClass()))))
        .describedAs("%s is used at all", library)
        .isTrue();
  }

  @Test
  void coreKnowsNothingButTheLanguage() {
    classes()
        .that()
        .resideInAPackage(CORE)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", CORE)
        .check(CLASSES);
    ArchRule noInputOutput = noClasses()
        .that()
        .resideInAPackage(CORE)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.io..", "java.nio.file..", "java.net.http..");
    noInputOutput.check(CLASSES);
  }

  @Test
  void theArrowsPointFromNodeToSharedStateToCore() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.state..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.node..", "io.weir.embedded..", "io.vertx..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("io.weir.embedded..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.node..", "io.weir.state..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideOutsideOfPackage("io.weir.testkit..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.weir.testkit..")
        .check(CLASSES);
  }

  @Test
  void theLimiterKnowsNoExtensionAndExtensionsKnowNoOtherButProviders() {
    noClasses()
        .that()
        .resideInAnyPackage(CORE, "io.weir.state..", "io.weir.node..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(EXTENSION_PACKAGES)
        .check(CLASSES);
    for (String extension : EXTENSION_PACKAGES) {
      noClasses()
          .that()
          .resideInAnyPackage(EXTENSION_PACKAGES)
          .and()
          .resideOutsideOfPackage(extension)
          .should()
          .dependOnClassesThat(resideInAPackage(extension).and(not(resideInAPackage(PROVIDERS))))
          .check(CLASSES);
    }
  }

  @ParameterizedTest
  @MethodSource("modules")
  void aPackageSaysInWhichModuleItIs(String module) throws IOException {
    Path sources = Path.of("../..", module, "src/main/java");
    Path root = sources.resolve(ROOTS.getOrDefault(module, "").replace('.', '/'));
    try (Stream<Path> files = Files.walk(sources)) {
      List<Path> elsewhere = files
          .filter(Files::isRegularFile)
          .filter(file -> !file.startsWith(root))
          .toList();
      assertThat(elsewhere).isEmpty();
    }
    assertThat(root).isDirectory();
  }

  @Test
  void nothingOfProductionKnowsTheModel() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "io.weir.inmemory..",
            "io.weir.operators.replay", // a command that decides on a log
            "io.weir.library", // limits in the memory of one program
            "io.weir.cluster..",
            "io.weir.benchmarks..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.weir.inmemory..")
        .check(CLASSES);
    classes()
        .that()
        .resideInAPackage("io.weir.inmemory..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", CORE, "io.weir.inmemory..")
        .check(CLASSES);
  }

  @Test
  void aNodeIsOnlyANode() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.weir.node..",
            "io.weir.batch..",
            "io.weir.operators..",
            "io.weir.jobs..",
            "io.weir.keys..",
            PROVIDERS,
            "io.weir.windows..")
        .and()
        .resideOutsideOfPackage("io.weir.operators.warning") // it sends webhooks, as a client does
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.weir.cluster..", "io.weir.client..", "io.weir.embedded..")
                .and(not(resideInAPackage(ANSWER))))
        .check(CLASSES);
  }

  @Test
  void theModuleOfClientAndNodeDependsOnTheLanguageAlone() {
    classes()
        .that()
        .resideInAPackage(ANSWER)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", ANSWER)
        .check(CLASSES);
  }

  @Test
  void aNodeReadsJsonInOneWay() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.weir.node..",
            "io.weir.batch..",
            "io.weir.operators..",
            "io.weir.jobs..",
            "io.weir.keys..",
            PROVIDERS,
            "io.weir.windows..")
        .and()
        .resideOutsideOfPackage("io.weir.node.json")
        .should()
        .callConstructor(JsonObject.class, String.class)
        .orShould()
        .callConstructor(JsonObject.class, Buffer.class)
        .orShould()
        .callConstructor(JsonArray.class, String.class)
        .orShould()
        .callConstructor(JsonArray.class, Buffer.class)
        .orShould()
        .callMethod(Buffer.class, "toJsonObject")
        .orShould()
        .callMethod(Buffer.class, "toJsonArray")
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(Json.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(JsonFactory.class)
        .because("JsonInput keeps no names that callers and upstreams make up")
        .check(CLASSES);
  }

  @Test
  void theClientKnowsNothingOfTheServer() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.client..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.node..", "io.weir.state..", "io.weir.embedded..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("io.weir.client..")
        .and()
        .resideOutsideOfPackage("io.weir.client.vertx")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.vertx..")
        .check(CLASSES);
  }

  @Test
  void noPackagesNeedEachOther() {
    SlicesRuleDefinition.slices()
        .matching("io.weir.(**)")
        .should()
        .beFreeOfCycles()
        // The program starts with the command line, and its command starts a node.
        .ignoreDependency(
            JavaClass.Predicates.belongToAnyOf(Main.class),
            JavaClass.Predicates.resideInAPackage("io.weir.node.command"))
        .check(CLASSES);
  }

  @Test
  void everyPackageIsNullMarked() {
    Set<String> unmarked = CLASSES.stream()
        .filter(type -> !type.getSimpleName().equals("package-info"))
        .map(JavaClass::getPackage)
        .filter(pack -> !pack.isAnnotatedWith("org.jspecify.annotations.NullMarked"))
        .map(pack -> pack.getName())
        .collect(Collectors.toSet());
    assertThat(unmarked).isEmpty();
  }

  @Test
  void everyClassIsFinal() {
    Set<String> open = CLASSES.stream()
        .filter(
            type -> !type.getPackageName().equals("io.weir.testkit")) // JUnit extends its contracts
        .filter(type -> !type.isInterface() && !type.isEnum() && !type.isAnonymousClass())
        .filter(type -> !type.getModifiers().contains(JavaModifier.FINAL))
        .filter(type -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
        .map(JavaClass::getName)
        .collect(Collectors.toSet());
    assertThat(open).isEmpty();
  }
}
