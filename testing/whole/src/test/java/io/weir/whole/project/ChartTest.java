package io.weir.whole.project;

import static io.weir.whole.project.Chart.at;
import static io.weir.whole.project.Chart.each;
import static io.weir.whole.project.Chart.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The Helm chart, rendered by Helm: its objects are those of Kubernetes, and name what a node understands. The plain
 * manifests are the chart with its own values: with {@code -Dweir.write=true} this test writes them.
 */
@Tag("once")
final class ChartTest {
  private static final Path MANIFESTS = Path.of("../../deploy/kubernetes/weir.yaml");
  private static final Path EVERYTHING =
      Path.of("src/test/resources/io/weir/whole/project/chart-everything.yaml");
  private static final String HEADER =
      "# Made of the chart in deploy/helm/weir. docs/how-to/kubernetes.md has the Secret and the first key.\n";
  private static final boolean IS_WRITING = Boolean.getBoolean("weir.write");
  private static final UnaryOperator<TemplateCommand> DEFAULTS = UnaryOperator.identity();

  /** The models of Kubernetes refuse fields that they do not know, and miss those that are required. */
  private static final Map<String, Model> MODELS = Map.of(
      "v1 ConfigMap", V1ConfigMap::validateJsonElement,
      "v1 Service", V1Service::validateJsonElement,
      "apps/v1 Deployment", V1Deployment::validateJsonElement,
      "policy/v1 PodDisruptionBudget", V1PodDisruptionBudget::validateJsonElement,
      "networking.k8s.io/v1 NetworkPolicy", V1NetworkPolicy::validateJsonElement,
      "autoscaling/v2 HorizontalPodAutoscaler", V2HorizontalPodAutoscaler::validateJsonElement,
      "monitoring.coreos.com/v1 ServiceMonitor", ChartTest::validateServiceMonitor);

  private interface Model {
    void validate(JsonElement object) throws IOException;
  }

  private static TemplateCommand all(TemplateCommand command) {
    return command.withValuesFile(EVERYTHING.toAbsolutePath());
  }

  @Test
  void thePlainManifestsAreTheChartWithItsOwnValues() throws IOException {
    String plain = HEADER
        + Chart.rendered(DEFAULTS)
            .text()
            .lines()
            .filter(line -> !line.matches("# Source: .*|.*(managed-by: Helm|helm.sh/chart: .*)"))
            .map(line -> line + "\n")
            .collect(Collectors.joining());
    if (IS_WRITING) {
      Files.writeString(MANIFESTS, plain);
    }
    assertThat(MANIFESTS).content().isEqualTo(plain);
    assertThat(Chart.of(plain).ids())
        .containsExactly(
            "ConfigMap weir-policy",
            "Deployment weir",
            "NetworkPolicy weir",
            "PodDisruptionBudget weir",
            "Service weir");
  }

  @Test
  void helmFindsNothingToWarnOf() {
    LintResult result = new Helm(Chart.FOLDER).lint().strict().call();
    assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
    assertThat(result.getMessages()).allMatch(message -> message.contains("icon is recommended"));
  }

  @Test
  void eachObjectIsOneOfKubernetes() throws IOException {
    for (Chart chart : List.of(Chart.rendered(DEFAULTS), Chart.rendered(ChartTest::all))) {
      for (JsonObject object : chart.objects()) {
        String kind = text(object, "apiVersion") + " " + text(object, "kind");
        assertThat(MODELS).containsKey(kind);
        assertThatCode(() -> MODELS.get(kind).validate(object)).as(kind).doesNotThrowAnyException();
      }
    }
  }

  // Its definition is the Prometheus operator's, of which there is no model.
  private static void validateServiceMonitor(JsonElement object) throws IOException {
    V1ObjectMeta.validateJsonElement(at(object.getAsJsonObject(), "metadata"));
    assertThat(at(object.getAsJsonObject(), "spec")).isEqualTo(JsonParser.parseString("""
        {
          "jobLabel": "app.kubernetes.io/name",
          "selector": {
            "matchLabels": {
              "app.kubernetes.io/name": "weir",
              "app.kubernetes.io/instance": "weir",
              "app.kubernetes.io/component": "metrics"
            }
          },
          "endpoints": [{ "port": "admin", "path": "/metrics", "interval": "15s" }]
        }"""));
  }

  @Test
  void everythingOnHasEachPart() throws IOException {
    Chart chart = Chart.rendered(ChartTest::all);
    assertThat(chart.ids())
        .containsExactly(
            "Deployment weir",
            "HorizontalPodAutoscaler weir",
            "NetworkPolicy weir",
            "PodDisruptionBudget weir",
            "Service weir",
            "Service weir-metrics",
            "ServiceMonitor weir");
    assertThat(at(chart.object("Deployment weir"), "spec", "replicas")).isNull();
    assertThat(each(chart.pod().get("volumes"), "name"))
        .containsExactly("policy", "tls", "copy", "tmp");
  }

  @Test
  void everyValueHasAUse() throws IOException {
    JsonObject values = Chart.yaml(Chart.FOLDER.resolve("values.yaml"));
    StringBuilder templates = new StringBuilder();
    try (var files = Files.list(Chart.FOLDER.resolve("templates"))) {
      for (Path file : files.toList()) {
        templates.append(Files.readString(file));
      }
    }
    assertThat(values.keySet())
        .allSatisfy(value -> assertThat(templates).containsPattern("\\.Values\\." + value + "\\b"));
    JsonObject schema = JsonParser.parseString(
            Files.readString(Chart.FOLDER.resolve("values.schema.json")))
        .getAsJsonObject();
    assertThat(at(schema, "properties").getAsJsonObject().keySet())
        .containsExactlyInAnyOrderElementsOf(with(values.keySet(), "global", "enabled"));
  }

  // A chart that depends on this one has values for both, and a condition.
  private static List<String> with(Set<String> some, String... others) {
    List<String> all = new ArrayList<>(some);
    all.addAll(List.of(others));
    return all;
  }

  @Test
  void unknownAndDangerousValuesAreRefused() {
    for (String value : List.of(
        "replicas=3",
        "env.weir_log_format=json",
        "env.WEIR_ADMIN_HOST=here",
        "fullnameOverride=weir.prod",
        "redis.uri=cache:6379",
        "envoy.port=8080",
        "podDisruptionBudget.maxUnavailable=0")) {
      String[] parts = value.split("=", 2);
      assertThatThrownBy(() -> Chart.rendered(command -> command.set(parts[0], parts[1])))
          .as(value)
          .hasMessageContaining("don't meet the specifications of the schema");
    }
  }

  @Test
  void eachVariableIsASettingOfANode() throws IOException {
    String configuration = Files.readString(Path.of("../../docs/reference/configuration.md"));
    List<String> variables = each(Chart.rendered(ChartTest::all).container().get("env"), "name");
    assertThat(variables).hasSizeGreaterThan(10).doesNotHaveDuplicates();
    assertThat(variables)
        .filteredOn(variable -> !variable.equals("REDIS_PASSWORD"))
        .allSatisfy(variable -> assertThat(configuration).contains("`" + variable + "`"));
  }

  // Kubernetes replaces a variable only in those after it.
  @Test
  void thePasswordOfRedisIsKnownBeforeTheAddress() throws IOException {
    assertThat(each(Chart.rendered(ChartTest::all).container().get("env"), "name"))
        .containsSubsequence("REDIS_PASSWORD", "WEIR_REDIS_URI");
  }

  // Kubernetes would set WEIR_PORT to the address of a Service of the name weir.
  @Test
  void noVariableComesFromAService() throws IOException {
    JsonObject pod = Chart.rendered(DEFAULTS).pod();
    assertThat(pod.get("enableServiceLinks").getAsBoolean()).isFalse();
    assertThat(pod.get("automountServiceAccountToken").getAsBoolean()).isFalse();
  }

  @Test
  void theFirstPolicyIsRead() throws IOException {
    String policy =
        text(Chart.rendered(DEFAULTS).object("ConfigMap weir-policy"), "data", "policy.yaml");
    assertThat(PolicyDocuments.parse("policy.yaml", policy).policy().buckets()).hasSize(1);
  }

  @Test
  void eachPortThatIsNamedIsOneOfTheContainer() throws IOException {
    Chart chart = Chart.rendered(ChartTest::all);
    JsonObject container = chart.container();
    List<String> ports = each(container.get("ports"), "name");
    assertThat(ports).containsExactly("http", "admin", "grpc-envoy", "tcp-resp");
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      assertThat(text(container, probe, "httpGet", "port")).isEqualTo("admin");
      assertThat(text(container, probe, "httpGet", "path")).matches("/health/(live|ready)");
    }
    assertThat(each(at(chart.object("Service weir"), "spec", "ports"), "targetPort"))
        .containsExactly("http", "grpc-envoy", "tcp-resp");
    assertThat(each(at(chart.object("Service weir-metrics"), "spec", "ports"), "targetPort"))
        .containsExactly("admin");
    List<String> admitted = new ArrayList<>();
    for (JsonElement rule :
        at(chart.object("NetworkPolicy weir"), "spec", "ingress").getAsJsonArray()) {
      admitted.addAll(each(rule.getAsJsonObject().get("ports"), "port"));
    }
    assertThat(admitted).containsExactlyInAnyOrderElementsOf(ports);
  }

  @Test
  void allPartsMeanTheSamePods() throws IOException {
    Chart chart = Chart.rendered(ChartTest::all);
    JsonElement labels = at(chart.object("Deployment weir"), "spec", "selector", "matchLabels");
    assertThat(at(chart.object("Deployment weir"), "spec", "template", "metadata", "labels")
            .getAsJsonObject()
            .entrySet())
        .containsAll(labels.getAsJsonObject().entrySet());
    assertThat(List.of(
            at(chart.object("Service weir"), "spec", "selector"),
            at(chart.object("Service weir-metrics"), "spec", "selector"),
            at(chart.object("PodDisruptionBudget weir"), "spec", "selector", "matchLabels"),
            at(chart.object("NetworkPolicy weir"), "spec", "podSelector", "matchLabels")))
        .containsOnly(labels);
    assertThat(at(chart.object("Service weir-metrics"), "metadata", "labels")
            .getAsJsonObject()
            .entrySet())
        .containsAll(at(chart.object("ServiceMonitor weir"), "spec", "selector", "matchLabels")
            .getAsJsonObject()
            .entrySet());
  }

  // The profile `restricted` of Kubernetes:
  // https://kubernetes.io/docs/concepts/security/pod-security-standards/
  @Test
  void podsHaveNoRightsThatTheyDoNotNeed() throws IOException {
    Chart chart = Chart.rendered(ChartTest::all);
    assertThat(chart.pod().get("securityContext")).isEqualTo(JsonParser.parseString("""
        { "runAsNonRoot": true, "runAsUser": 10001, "seccompProfile": { "type": "RuntimeDefault" } }"""));
    assertThat(chart.container().get("securityContext")).isEqualTo(JsonParser.parseString("""
        {
          "allowPrivilegeEscalation": false,
          "readOnlyRootFilesystem": true,
          "capabilities": { "drop": ["ALL"] }
        }"""));
    for (JsonElement volume : chart.pod().getAsJsonArray("volumes")) {
      assertThat(volume.getAsJsonObject().keySet())
          .containsAnyOf("configMap", "secret", "emptyDir")
          .hasSize(2);
    }
    assertThat(chart.pod().keySet()).doesNotContain("hostNetwork", "hostPID", "hostIPC");
    assertThat(Files.readString(Path.of("../../deploy/Dockerfile"))).contains("USER 10001:10001");
  }

  @Test
  void theGracePeriodCoversTheEndOfANode() throws IOException {
    String configuration = Files.readString(Path.of("../../docs/reference/configuration.md"));
    int millis = 0;
    for (String setting : List.of("SHUTDOWN_DELAY_MS", "SHUTDOWN_TIMEOUT_MS")) {
      Matcher line = Pattern.compile("`WEIR_" + setting + "` \\| `(\\d+)`").matcher(configuration);
      assertThat(line.find()).isTrue();
      millis += Integer.parseInt(line.group(1));
    }
    assertThat(
            Chart.rendered(DEFAULTS).pod().get("terminationGracePeriodSeconds").getAsInt())
        .isGreaterThan(millis / 1000);
  }

  @Test
  void theVersionIsThatOfTheProgram() throws IOException {
    Matcher version = Pattern.compile("\n  <version>((.*?)(-SNAPSHOT)?)</version>")
        .matcher(Files.readString(Path.of("../../pom.xml")));
    assertThat(version.find()).isTrue();
    JsonObject chart = Chart.yaml(Chart.FOLDER.resolve("Chart.yaml"));
    assertThat(text(chart, "appVersion")).isEqualTo(version.group(1));
    assertThat(text(chart, "version")).isEqualTo(version.group(2));
  }
}
