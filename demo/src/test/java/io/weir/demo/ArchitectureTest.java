package io.weir.demo;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The dependencies between modules, and the one package for each library. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES = new ClassFileImporter()
      .withImportOption(new ImportOption.DoNotIncludeTests())
      .importPackages("io.weir");

  private static final String CORE = "io.weir.core..";

  /** The packages of a library, and the only packages of ours that may use them. */
  private static final Map<String, List<String>> ROOMS = Map.ofEntries(
      Map.entry("io.lettuce..", List.of("io.weir.state.redis", "io.weir.state.redis.wire")),
      Map.entry("org.redisson..", List.of("io.weir.state.control")),
      Map.entry(
          "com.fasterxml..",
          List.of(
              "io.weir.state.document",
              "io.weir.node.json",
              "io.weir.node.check",
              "io.weir.node.batch")),
      Map.entry("org.yaml..", List.of("io.weir.state.document")),
      Map.entry("redis.embedded..", List.of("io.weir.embedded")),
      Map.entry("io.micrometer..", List.of("io.weir.node.metrics", "io.weir.client.metrics")),
      Map.entry(
          "io.github.resilience4j..",
          List.of("io.weir.client.retry", "io.weir.state.degraded", "io.weir.node.provider")),
      Map.entry("io.github.bucket4j..", List.of("io.weir.state.degraded")),
      Map.entry("org.knowm..", List.of("io.weir.demo.local")),
      Map.entry("picocli..", List.of("io.weir.node.command", "io.weir.demo.command")),
      Map.entry(
          "io.netty..",
          List.of(
              "io.weir.state.redis.wire", // the bytes of keys and arguments
              "io.weir.state.redis", // the protocol of scripts, and the event loops of connections
              "io.weir.node", // its event loops
              "io.weir.node.intake",
              "io.weir.node.gateway")));

  /** The root package of each module. */
  private static final Map<String, String> ROOTS = Map.of(
      "core", "io.weir.core",
      "model", "io.weir.model",
      "testkit", "io.weir.testkit",
      "embedded", "io.weir.embedded",
      "shared-state", "io.weir.state",
      "node", "io.weir.node",
      "client", "io.weir.client",
      "demo", "io.weir.demo",
      "benchmarks", "io.weir.benchmarks");

  static Set<String> modules() {
    return ROOTS.keySet();
  }

  static Set<String> libraries() {
    return ROOMS.keySet();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void eachLibraryLivesInOneRoom(String library) {
    String[] rooms = ROOMS.getOrDefault(library, List.of()).toArray(String[]::new);
    noClasses()
        .that()
        .resideOutsideOfPackages(rooms)
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

  @ParameterizedTest
  @MethodSource("modules")
  void aPackageSaysInWhichModuleItIs(String module) throws IOException {
    Path sources = Path.of("..", module, "src/main/java");
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
        .resideOutsideOfPackages("io.weir.model..", "io.weir.demo..", "io.weir.benchmarks..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.weir.model..")
        .check(CLASSES);
    classes()
        .that()
        .resideInAPackage("io.weir.model..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", CORE, "io.weir.model..")
        .check(CLASSES);
  }

  @Test
  void aNodeIsOnlyANode() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.node..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.demo..", "io.weir.client..", "io.weir.embedded..")
        .check(CLASSES);
  }

  @Test
  void aNodeReadsJsonInOneWay() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.node..")
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
  void nobodySleepsOrReadsTheWallClock() {
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(CLASSES);
    noClasses().should().callMethod(System.class, "currentTimeMillis").check(CLASSES);
    noClasses().should().callMethod(Instant.class, "now").check(CLASSES);
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
